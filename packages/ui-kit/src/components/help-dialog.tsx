import "./help-dialog.css";
import { useEffect, useRef } from "react";
import { Icon } from "./icon.tsx";

/** Keys of one part of an app, and their effects. */
export interface KeyGroup {
  /** Heading of the group: `Everywhere`. */
  title: string;
  /** Pairs of keys and their effect: `[["j", "↓"], "next line"]`. All keys of a pair have the same effect. */
  keys: readonly (readonly [keys: readonly string[], does: string])[];
}

/** The overlay that lists the keys. It is a native dialog: focus stays inside, and Esc closes the dialog. */
export function HelpDialog(props: {
  /** True while the dialog is shown. The effect below opens and closes the native dialog when this value changes. */
  open: boolean;
  /** Called after Esc, the button, or `open` turning false; the owner then sets `open` to false. */
  onClose: () => void;
  /** The groups in their order. */
  groups: readonly KeyGroup[];
  /** The running version, shown below the keys; "" for none. */
  version: string;
}) {
  const { open, onClose, groups, version } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) {
      dialog.current?.showModal();
    } else {
      dialog.current?.close();
    }
  }, [open]);
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
      {version !== "" && <p className="help-version">{version}</p>}
    </dialog>
  );
}
