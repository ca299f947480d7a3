import { useEffect, useState } from "react";
import { Icon } from "./icon.tsx";

/** Milliseconds for which the tick is shown. */
const tickMs = 1_200;

/** Copies a text, and shows a tick for a moment after success. @param label name of the copied text, for the tooltip */
export function CopyButton({ text, label, children }: { text: string; label: string; children?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) {
      return;
    }
    const timer = setTimeout(() => setCopied(false), tickMs);
    return () => clearTimeout(timer);
  }, [copied]);

  async function copy() {
    try {
      await copyText(text);
      setCopied(true);
    } catch {
      // The browser refused to copy: no tick is shown, and the text stays selectable.
    }
  }

  return (
    <button
      type="button"
      className={children === undefined ? "icon-button" : "button"}
      title={label}
      // The label must contain the visible text, so that users of voice control can say the text.
      aria-label={children === undefined ? label : `${label} ${children}`}
      onClick={copy}
    >
      <Icon name={copied ? "check" : "copy"} />
      {children}
    </button>
  );
}

/**
 * Copies a text, also without the clipboard API. That API exists on secure addresses only; many query services are
 * plain HTTP in a private network.
 */
async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) {
    return navigator.clipboard.writeText(text);
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) {
    throw new Error("the browser refused to copy");
  }
}
