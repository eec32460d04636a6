// Outbound ops of a host: collected for about 10 ms, one request in flight, in the order the game sent them.

export const BATCH_MS = 10;
export const MAX_OPS = 100;
export const MAX_QUEUED = 1000;

/**
 * A queue for one session. `send(ops)` posts a batch and may reject; `settle(error, ops)` says what a refused
 * batch means: "retry" (the same ops again, after the wait it arranges itself), "drop", or "stop".
 * `later(run, ms)` is setTimeout, or something that a hidden tab does not slow down.
 */
export class OpsQueue {
  constructor({ send, settle, later }) {
    this.send = send;
    this.settle = settle;
    this.later = later;
    this.queue = [];
    this.scheduled = false;
    this.flight = null;
    this.stopped = false;
  }

  /** False where the game sends faster than the arcade takes: the op is not kept. */
  add(op) {
    if (this.stopped) return true;
    const last = this.queue[this.queue.length - 1];
    // A state that nobody has seen yet and that the next one replaces needs no trip.
    if (op.op === "state" && last !== undefined && last.op === "state") this.queue.pop();
    if (this.queue.length >= MAX_QUEUED) return false;
    this.queue.push(op);
    this.schedule();
    return true;
  }

  schedule() {
    if (this.scheduled || this.flight !== null || this.stopped || this.queue.length === 0) return;
    this.scheduled = true;
    this.later(() => {
      this.scheduled = false;
      this.flush();
    }, BATCH_MS);
  }

  /** Sends what is there now, unless a request is in flight. Resolves when the queue is empty or stopped. */
  flush() {
    if (this.flight === null) {
      this.flight = this.drain().then(() => {
        this.flight = null;
        this.schedule();
      });
    }
    return this.flight;
  }

  async drain() {
    while (this.queue.length > 0 && !this.stopped) {
      const batch = this.queue.splice(0, MAX_OPS);
      if (!(await this.deliver(batch))) return;
    }
  }

  async deliver(batch) {
    for (;;) {
      try {
        await this.send(batch);
        return true;
      } catch (error) {
        // All or nothing: one bad op would take the good ones with it, so they go one by one then.
        if (error.status === 400 || error.status === 413) {
          if (batch.length > 1) {
            for (const op of batch) if (!(await this.deliver([op]))) return false;
            return true;
          }
        }
        const verdict = await this.settle(error, batch);
        if (verdict === "stop" || this.stopped) {
          this.stop();
          return false;
        }
        if (verdict === "drop") return true;
      }
    }
  }

  /** Nothing more is sent; what is queued is forgotten. */
  stop() {
    this.stopped = true;
    this.queue.length = 0;
  }
}
