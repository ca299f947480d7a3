import "./help-dialog.css";
import { useEffect, useRef } from "react";
import { pageFacts } from "../api/page-facts.ts";
import { Icon } from "./icon.tsx";

const groups: { title: string; keys: [keys: string[], does: string][] }[] = [
  {
    title: "Everywhere",
    keys: [
      [["?"], "show or hide this help"],
      [["g"], "go to a trace by its id"],
      [["/"], "go to the filter or the tags"],
    ],
  },
  {
    title: "In a list of traces",
    keys: [
      [["j", "k"], "next or previous trace"],
      [["Enter", "l"], "open it"],
    ],
  },
  {
    title: "In the heat map and the graph",
    keys: [
      [["← ↑ → ↓"], "move; with Shift, select"],
      [["Enter"], "take the selection"],
      [["+", "−", "0"], "zoom the graph, show all"],
    ],
  },
  {
    title: "In a trace",
    keys: [
      [["j", "↓"], "next span"],
      [["k", "↑"], "previous span"],
      [["l", "→"], "unfold, then go to the first child"],
      [["h", "←"], "fold, then go to the parent"],
      [["Enter"], "open or close the span's details"],
      [["e", "E"], "next or previous error"],
      [["+", "−"], "zoom about the selected span"],
      [["[", "]"], "move along in time"],
      [["0"], "show the whole time range"],
      [["Esc"], "clear the filter, then the selection"],
    ],
  },
];

/** The overlay that lists the keys. Native dialog: focus stays inside, Esc closes it. */
export function HelpDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  const { gitVersion } = pageFacts().version;
  return (
    <dialog ref={dialog} className="help" aria-labelledby="help-title" onClose={onClose}>
      <header>
        <h2 id="help-title">Keys</h2>
        <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div className="help-groups">
        {groups.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([names, does]) => (
                <div key={does}>
                  <dt>
                    {names.map((name) => (
                      <kbd key={name}>{name}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      {gitVersion !== "" && <p className="help-version">Query service {gitVersion}</p>}
    </dialog>
  );
}
