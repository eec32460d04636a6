// A table to watch or to play at: /table/ses_…

import { isSessionId } from "./api.js";
import { byId, el, show } from "./dom.js";
import { header, note } from "./page.js";
import { TableView } from "./table-view.js";

const id = window.location.pathname.split("/").pop();
const known = header();
if (isSessionId(id)) {
  const table = new TableView({
    note,
    moved: (next) => window.history.replaceState(null, "", `/table/${next}`)
  });
  show(byId("table"), table.node);
  known.then(() => table.open(id));
} else {
  show(byId("table"), el("p", { class: "empty" }, "There is no such table. ", el("a", { href: "/" }, "See all tables")));
}
