import "./first-span.css";
import { useState } from "react";
import { CopyButton } from "ui-kit/components/copy-button.tsx";
import { Notice } from "ui-kit/components/notice.tsx";
import { firstSpanCommand, sdkVariables } from "./first-span-command.ts";

/**
 * The page of an empty store, with help for the first span. The command is made once, so that a copy stays
 * valid. The search page polls the server, and replaces this page when a span arrives.
 */
export function FirstSpan() {
  const host = window.location.hostname;
  const [command] = useState(() =>
    firstSpanCommand(host, Date.now(), crypto.getRandomValues(new Uint8Array(24))),
  );
  return (
    <Notice kind="plain" title="No spans yet">
      <p>Point an OpenTelemetry SDK at the collector, in any language, and start your program:</p>
      <Snippet text={sdkVariables(host)} label="Copy the variables" />
      <p>Or send one span by hand:</p>
      <Snippet text={command} label="Copy the command" />
      <p>This page is watching, and will show the first trace when it arrives.</p>
    </Notice>
  );
}

/** A text with a button that copies it. */
function Snippet({ text, label }: { text: string; label: string }) {
  return (
    <div className="snippet">
      <pre className="notice-message">{text}</pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}
