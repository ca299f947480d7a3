import "./share-dialog.css";
import { useEffect, useRef, useState } from "react";
import { CopyButton } from "ui-kit/components/copy-button.tsx";
import { Icon } from "ui-kit/components/icon.tsx";
import { makeShortLink, shownAddress } from "../../api/views.ts";
import { failureWords } from "./failure-words.ts";
import { SaveViewForm } from "./save-view-form.tsx";
import { ViewList } from "./view-list.tsx";

/**
 * Shares the current page: a short link, a form to save it by name, and the saved views. The address is
 * read once, when the dialog opens. Native dialog: focus stays inside, Esc closes it.
 * @param onClose called after the dialog was closed by Esc or by its button
 */
export function ShareDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [address] = useState(shownAddress);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="share" aria-labelledby="share-title" onClose={onClose}>
      <header>
        <h2 id="share-title">Share this page</h2>
        <button
          type="button"
          className="icon-button"
          aria-label="Close"
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </header>
      <ShortLink address={address} />
      <SaveViewForm address={address} />
      <ViewList />
    </dialog>
  );
}

/** A button that makes a short link. After the press: the link to copy, or the error. */
function ShortLink({ address }: { address: string }) {
  // Undefined until the button is pressed. The link stays until the dialog closes.
  const [made, setMade] = useState<{ link: string } | { failure: string } | "busy" | undefined>();

  async function make() {
    setMade("busy");
    try {
      setMade({ link: await makeShortLink(address) });
    } catch (error) {
      setMade({ failure: failureWords(error) });
    }
  }

  const link = typeof made === "object" && "link" in made ? made.link : undefined;
  return (
    <section aria-label="Short link">
      <div className="share-line">
        <button type="button" className="button" disabled={made === "busy"} onClick={() => void make()}>
          Make a short link
        </button>
        {link !== undefined && (
          <>
            <input className="field" readOnly aria-label="Short link" value={link} />
            <CopyButton text={link} label="Copy the short link" />
          </>
        )}
      </div>
      {typeof made === "object" && "failure" in made && (
        <p className="failed-text" role="alert">
          No link was made. {made.failure} The address of this page works as a link, too.
        </p>
      )}
    </section>
  );
}
