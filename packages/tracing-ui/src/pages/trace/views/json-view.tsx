import "./json-view.css";
import { useMemo } from "react";
import { CopyButton } from "ui-kit/components/copy-button.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { saveFile } from "../../../components/save-file.ts";
import { newWindow } from "../../../links/ui-config.ts";
import type { ApiTrace } from "../../../trace/trace-schema.ts";
import { isSavedPage } from "../saved-trace.ts";

/** Maximum number of letters shown in the page; the saved file is complete. */
const mostLetters = 1_000_000;

/**
 * The trace as JSON, as received from the query service, with buttons to copy and to save it. More than a
 * million letters are cut on the page only.
 */
export function JsonView({ input }: { input: ApiTrace }) {
  const text = useMemo(() => JSON.stringify({ data: [input] }, null, 2), [input]);
  const cut = text.length > mostLetters;
  return (
    <div className="trace-json">
      <div className="trace-json-tools">
        <CopyButton text={text} label="Copy the JSON">
          Copy
        </CopyButton>
        <button
          type="button"
          className="button"
          onClick={() => saveFile(`trace-${input.traceID}.json`, "application/json", [text])}
        >
          Save as a file
        </button>
        {!isSavedPage() && (
          <a
            className="button"
            href={`api/traces/${input.traceID}?raw=true&prettyPrint=true`}
            target={newWindow}
            rel="noreferrer"
          >
            As it was sent
          </a>
        )}
        <span className="muted">
          {formatCount(Math.round(text.length / 1_000))} kB
          {cut && `; the first ${formatCount(mostLetters / 1_000)} kB are shown, the file has all`}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key */}
      <section className="trace-json-text" tabIndex={0} aria-label="JSON">
        <pre>{cut ? text.slice(0, mostLetters) : text}</pre>
      </section>
    </div>
  );
}
