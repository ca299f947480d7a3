import "./import-page.css";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { type Adapted, adaptText, importFormats, writeAs } from "../../api/adapt.ts";
import { configQuery } from "../../api/config.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { AdaptedPanel } from "./adapted-panel.tsx";
import { keepImport, readImport } from "./import-draft.ts";
import { lineMarks, notesOf } from "./line-marks.ts";

const formatNames = { caddyfile: "Caddyfile", yaml: "YAML", toml: "TOML", json5: "JSON5" } as const;

/**
 * A config in another format: what it becomes, what it would change, and the button that loads it.
 *
 * The text is sent to the server when the user pauses. States of the right side: nothing typed, asking,
 * failed, not understood, and understood.
 */
export function ImportPage() {
  const [draft, setDraft] = useState(readImport);
  const { format, text } = draft;
  const asked = useSettled(draft);
  const running = useQuery(configQuery);
  const adapted = useQuery({
    queryKey: ["adapt", asked],
    queryFn: ({ signal }) => adaptText(asked.format, asked.text, signal),
    enabled: asked.text.trim() !== "",
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const isEmpty = text.trim() === "";
  const found = isEmpty ? undefined : adapted.data;
  const marks = useMemo(() => lineMarks(notesOf(found)), [found]);
  const change = (fields: Partial<typeof draft>) => {
    const next = { ...draft, ...fields };
    keepImport(next);
    setDraft(next);
  };
  const begin = useMutation({
    mutationFn: () => writeAs(format, running.data?.document ?? null),
    onSuccess: (written) => change({ text: written }),
  });
  return (
    <div className="import-page">
      <div className="page-head">
        <h1>Import</h1>
        <p className="muted">Paste a config to see what it becomes. Nothing changes before you load it.</p>
        <div className="page-head-actions">
          <label className="visually-hidden" htmlFor="import-format">
            Format
          </label>
          <select
            id="import-format"
            className="field"
            value={format}
            onChange={(event) => change({ format: event.target.value as typeof format })}
          >
            {importFormats.map((name) => (
              <option key={name} value={name}>
                {formatNames[name]}
              </option>
            ))}
          </select>
        </div>
      </div>
      <section className="import-side" aria-label="Text">
        <div className="import-text">
          <CodeEditor
            label={`${formatNames[format]} to import`}
            language={format === "caddyfile" ? "serverfile" : "plain"}
            value={text}
            onChange={(next) => change({ text: next })}
            marks={marks}
          />
        </div>
        <Notes adapted={found} />
      </section>
      <section className="import-side" aria-label="What it becomes">
        {isEmpty ? (
          <>
            <p className="muted">Paste a {formatNames[format]} at the left: its JSON is shown here.</p>
            <div className="import-actions">
              <button
                type="button"
                className="button"
                disabled={begin.isPending || running.data === undefined}
                onClick={() => begin.mutate()}
              >
                Begin with what runs
              </button>
            </div>
            {begin.isError && (
              <p className="muted" role="alert">
                What runs cannot be written as {formatNames[format]}: {begin.error.message}
              </p>
            )}
          </>
        ) : adapted.isError ? (
          <FailureNotice error={adapted.error} onRetry={() => adapted.refetch()} />
        ) : running.isError && running.data === undefined ? (
          <FailureNotice error={running.error} onRetry={() => running.refetch()} />
        ) : found === undefined || running.data === undefined ? (
          <p className="muted" role="status">
            Asking the server …
          </p>
        ) : found.config === undefined ? (
          <p className="muted">It becomes nothing yet: the server does not understand it.</p>
        ) : (
          <AdaptedPanel
            config={found.config}
            running={running.data}
            isOld={asked !== draft || adapted.isPlaceholderData}
            onLoaded={() => change({ text: "" })}
          />
        )}
      </section>
    </div>
  );
}

/** The remarks of the server, with their lines. */
function Notes({ adapted }: { adapted: Adapted | undefined }) {
  const notes = notesOf(adapted);
  return (
    <div role="status">
      <ul className="import-notes">
        {notes.map(({ line, message, severity }) => (
          <li key={`${line} ${message}`} className={severity}>
            {severity === "error" ? "Error" : "Warning"}
            {line !== undefined && `, line ${line}`}: {message}
          </li>
        ))}
      </ul>
    </div>
  );
}
