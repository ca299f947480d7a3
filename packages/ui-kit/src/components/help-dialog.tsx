import "./help-dialog.css";
import { useEffect, useRef } from "react";
import { Icon } from "./icon.tsx";

/** Keys of one part of an app: those to press, and what they do. */
export interface KeyGroup {
  title: string;
  keys: readonly (readonly [keys: readonly string[], does: string])[];
}

/** The overlay that lists the keys. Native dialog: focus stays inside, Esc closes it. */
export function HelpDialog(props: {
  open: boolean;
  onClose: () => void;
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
