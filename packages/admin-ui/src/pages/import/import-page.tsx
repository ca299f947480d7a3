import "./import-page.css";
import { keepPreviousData, type UseQueryResult, useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { type Adapted, adaptText, type ImportFormat, importFormats, writeAs } from "../../api/adapt.ts";
import { configQuery, type RunningConfig } from "../../api/config.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { AdaptedPanel } from "./adapted-panel.tsx";
import { keepImport, readImport } from "./import-draft.ts";
import { lineMarks, notesOf } from "./line-marks.ts";

const formatNames = { caddyfile: "Caddyfile", yaml: "YAML", toml: "TOML", json5: "JSON5" } as const;

/**
 * Imports a config in another format: shows the resulting JSON and the changes, and has a button that loads it.
 *
 * The text is sent to the server when the user pauses. States of the right side: empty, waiting, failed, invalid text,
 * and valid text.
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
  return (
    <div className="import-page">
      <div className="page-head">
        <h1>Import</h1>
        <p className="muted">Paste a config to see what it becomes. Nothing changes before you load it.</p>
        <FormatField format={format} onFormat={(next) => change({ format: next })} />
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
          <BeginText format={format} running={running.data} onText={(written) => change({ text: written })} />
        ) : (
          <Result
            adapted={adapted}
            running={running}
            isOld={asked !== draft || adapted.isPlaceholderData}
            onLoaded={() => change({ text: "" })}
          />
        )}
      </section>
    </div>
  );
}

/** The choice of the text's format. */
function FormatField(props: { format: ImportFormat; onFormat: (format: ImportFormat) => void }) {
  return (
    <div className="page-head-actions">
      <label className="visually-hidden" htmlFor="import-format">
        Format
      </label>
      <select
        id="import-format"
        className="field"
        value={props.format}
        onChange={(event) => props.onFormat(event.target.value as ImportFormat)}
      >
        {importFormats.map((name) => (
          <option key={name} value={name}>
            {formatNames[name]}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The inputs of {@link BeginText}. */
interface BeginTextProps {
  /** Format that the running config is written in. */
  format: ImportFormat;
  /** The running config; undefined before it is read. */
  running: RunningConfig | undefined;
  /** Called with the running config as text. */
  onText: (text: string) => void;
}

/** The right side without a text: what to do, and a button that begins with the running config. */
function BeginText({ format, running, onText }: BeginTextProps) {
  const begin = useMutation({
    mutationFn: () => writeAs(format, running?.document ?? null),
    onSuccess: onText,
  });
  return (
    <>
      <p className="muted">Paste a {formatNames[format]} at the left: its JSON is shown here.</p>
      <div className="import-actions">
        <button
          type="button"
          className="button"
          disabled={begin.isPending || running === undefined}
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
  );
}

/** The inputs of {@link Result}. */
interface ResultProps {
  /** The request that converts the text to a config. */
  adapted: UseQueryResult<Adapted>;
  /** The running config, which the result is compared with. */
  running: UseQueryResult<RunningConfig>;
  /** True when the text has changed since the answer. */
  isOld: boolean;
  /** Called once the config runs. */
  onLoaded: () => void;
}

/**
 * The right side with a text: a failure, a note that the request runs, a note that the text is invalid, or the
 * config.
 */
function Result({ adapted, running, isOld, onLoaded }: ResultProps) {
  if (adapted.isError) {
    return <FailureNotice error={adapted.error} onRetry={() => adapted.refetch()} />;
  }
  if (running.isError && running.data === undefined) {
    return <FailureNotice error={running.error} onRetry={() => running.refetch()} />;
  }
  if (adapted.data === undefined || running.data === undefined) {
    return (
      <p className="muted" role="status">
        Asking the server …
      </p>
    );
  }
  if (adapted.data.config === undefined) {
    return <p className="muted">It becomes nothing yet: the server does not understand it.</p>;
  }
  return (
    <AdaptedPanel config={adapted.data.config} running={running.data} isOld={isOld} onLoaded={onLoaded} />
  );
}

/** The server's warnings, with their lines. */
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
