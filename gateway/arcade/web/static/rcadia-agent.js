/*
 * RcadiaAgent 2.0.0: a game in a frame speaks with the page that hosts it (RCADIA Agent Protocol v2, section 2).
 *
 * A classic script, so that `<script src>` works in a sandboxed frame without CORS; it defines the global
 * `RcadiaAgent`. The game owns the rules; seats, turns and clocks are the platform's.
 */
(function (root) {
  "use strict";

  var VERSION = "2.0.0";
  var SYSTEM = "__system__";
  // Only the newest ids are kept: the platform repeats an entry at most until it is acknowledged.
  var REMEMBERED_ACTIONS = 1000;
  var OPTIONAL = ["turnTimeout", "maxTurnTimeouts", "forfeitOnTimeout", "autoRematch"];

  function configuration(options) {
    var given = options || {};
    var config = {
      minPlayers: given.minPlayers === undefined ? 2 : given.minPlayers,
      maxPlayers: given.maxPlayers === undefined ? 2 : given.maxPlayers,
      turnBased: given.turnBased === undefined ? true : given.turnBased,
      simultaneous: given.simultaneous === undefined ? false : given.simultaneous,
      gameType: given.gameType,
      sdkVersion: VERSION
    };
    OPTIONAL.forEach(function (name) {
      if (given[name] !== undefined) config[name] = given[name];
    });
    return config;
  }

  function RcadiaAgent(options) {
    this.sessionId = null;
    this.players = [];
    this.round = 1;
    this.isConfigured = false;
    this._config = configuration(options);
    this._handlers = {};
    this._delivered = new Set();
    this._lastAction = new Map();
    this._host = root.parent;
    var self = this;
    root.addEventListener("message", function (event) {
      if (event.source !== root.parent) return;
      self._receive(event.data);
    });
    this._configure();
  }

  RcadiaAgent.version = VERSION;

  RcadiaAgent.prototype = {
    constructor: RcadiaAgent,

    onGameStart: function (handler) { this._handlers.gameStart = handler; },
    onAction: function (handler) { this._handlers.action = handler; },
    onTimeout: function (handler) { this._handlers.timeout = handler; },
    onSessionEnd: function (handler) { this._handlers.sessionEnd = handler; },
    /* Kept for games written for v1; the platform never sends it. */
    onActionRejected: function (handler) { this._handlers.actionRejected = handler; },

    setState: function (state) { this._send("AGENT_STATE", { state: state }); },
    setObservation: function (playerId, observation) {
      this._send("AGENT_OBSERVATION", { playerId: playerId, observation: observation });
    },
    setLegalActions: function (playerId, actions) {
      this._send("AGENT_LEGAL_ACTIONS", { playerId: playerId, actions: actions });
    },
    rejectAction: function (playerId, reason) {
      var data = { playerId: playerId, reason: reason };
      if (this._lastAction.has(playerId)) data.actionId = this._lastAction.get(playerId);
      this._send("AGENT_ACTION_REJECTED", data);
    },
    endGame: function (result) { this._send("AGENT_GAME_OVER", { result: result }); },
    rematch: function () { this._send("AGENT_REMATCH", {}); },

    _configure: function () {
      this._send("AGENT_CONFIGURE", Object.assign({}, this._config));
      this.isConfigured = true;
    },

    _send: function (type, data) {
      // The frame is sandboxed and does not know where its host lives; only the host may frame it.
      this._host.postMessage({ type: type, data: data }, "*");
    },

    _call: function (name, args) {
      var handler = this._handlers[name];
      if (typeof handler === "function") handler.apply(null, args);
    },

    _receive: function (message) {
      if (message === null || typeof message !== "object" || typeof message.type !== "string") return;
      var data = message.data !== null && typeof message.data === "object" ? message.data : {};
      switch (message.type) {
        case "AGENT_SESSION_START": this._session(data); break;
        case "AGENT_GAME_START": this._start(data); break;
        case "AGENT_ACTION": this._action(data); break;
        case "AGENT_TIMEOUT":
          this._call("timeout", [data.playerId, {
            strike: data.strike, maxStrikes: data.maxStrikes, final: data.final === true
          }]);
          break;
        case "AGENT_SESSION_END":
          this._call("sessionEnd", [{ sessionId: data.sessionId, result: data.result, reason: data.reason }]);
          break;
        case "AGENT_ACTION_REJECTED": this._call("actionRejected", [data.playerId, data.reason]); break;
        case "AGENT_REQUEST_CONFIGURE": this._configure(); break;
      }
    },

    _session: function (data) {
      this.sessionId = data.sessionId;
      if (Array.isArray(data.players)) this.players = data.players.slice();
      if (typeof data.round === "number") this.round = data.round;
    },

    _start: function (data) {
      if (data.sessionId !== undefined) this.sessionId = data.sessionId;
      this.players = Array.isArray(data.players) ? data.players.slice() : [];
      if (typeof data.round === "number") this.round = data.round;
      this._lastAction.clear();
      this._call("gameStart", [{ sessionId: this.sessionId, players: this.players.slice(), round: this.round }]);
    },

    _action: function (data) {
      var action = data.action;
      var id = data.actionId;
      if (id !== undefined && id !== null) {
        if (this._delivered.has(id)) return;
        this._delivered.add(id);
        if (this._delivered.size > REMEMBERED_ACTIONS) {
          this._delivered.delete(this._delivered.values().next().value);
        }
      }
      var kind = action !== null && typeof action === "object" ? action.type : undefined;
      if (data.playerId === SYSTEM && kind === "__game_start__" && this._handlers.gameStart) {
        this._start({ players: action.players, round: action.round });
        return;
      }
      if (kind === "__timeout__") {
        this._call("timeout", [data.playerId, { strike: 1, maxStrikes: null, final: false }]);
        return;
      }
      if (id === undefined || id === null) this._lastAction.delete(data.playerId);
      else this._lastAction.set(data.playerId, id);
      this._call("action", [data.playerId, action, id]);
    }
  };

  root.RcadiaAgent = RcadiaAgent;
})(typeof window === "undefined" ? globalThis : window);
