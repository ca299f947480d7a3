import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { archiveTrace } from "../../api/archive-trace.ts";
import { notesQuery } from "../../api/notes.ts";
import { pageFacts } from "../../api/page-facts.ts";
import type { SpanPeers } from "../../api/trace-peers.ts";
import { uiConfig } from "../../links/ui-config.ts";
import type { ApiTrace } from "../../trace/trace-schema.ts";
import { saveAsHtml } from "./save-as-html.ts";

/**
 * The actions for a trace: compare it, save it as a file, archive it. Archiving is offered only if the
 * store supports it and the configuration allows it.
 * @param input the trace as received from the query service
 * @param peers percentile ranks of its spans, which the saved file contains
 */
export function TraceActions({ input, peers }: { input: ApiTrace; peers: ReadonlyMap<string, SpanPeers> }) {
  const client = useQueryClient();
  return (
    <>
      <Link
        to="/compare"
        search={{ a: input.traceID }}
        className="button"
        data-command="Compare this trace"
        title="Beside what is usual for traces that begin alike, or beside another trace"
      >
        Compare
      </Link>
      <ActionButton
        name="Save as HTML"
        done="Saved"
        title="One file that shows this trace without a server"
        act={() => {
          const notes = client.getQueryData(notesQuery(input.traceID).queryKey) ?? [];
          return saveAsHtml(input, peers, notes, location.search);
        }}
      />
      {(uiConfig.archiveEnabled ?? true) && pageFacts().storageCapabilities.archiveStorage && (
        <ActionButton
          name="Archive"
          done="Archived"
          title="Keep this trace, whatever retention removes"
          act={() => archiveTrace(input.traceID)}
        />
      )}
    </>
  );
}

/** A button that runs one action and then shows success or the error. It is disabled while the action runs. */
function ActionButton(props: { name: string; done: string; title: string; act: () => Promise<void> }) {
  const { name, done, title, act } = props;
  const [state, setState] = useState<"idle" | "busy" | "done" | Error>("idle");

  async function run() {
    setState("busy");
    try {
      await act();
      setState("done");
    } catch (error) {
      setState(error instanceof Error ? error : new Error(String(error)));
    }
  }

  return (
    <>
      <button
        type="button"
        className="button"
        data-command={name}
        title={title}
        disabled={state === "busy"}
        onClick={run}
      >
        {state === "done" && <Icon name="check" />}
        {state === "done" ? done : name}
      </button>
      {state instanceof Error && (
        <span className="trace-action-failed" role="alert">
          {name}: {state.message}
        </span>
      )}
    </>
  );
}
