import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo } from "react";
import { configQuery, type RunningConfig } from "../../api/config.ts";
import { type HistoryEntry, historyQuery } from "../../api/history.ts";
import type { PatchOperation } from "../../api/json-patch.ts";
import type { JsonValue } from "../../api/json-value.ts";
import { rebase, withEdit } from "../../config/draft.ts";
import { currentDraft, setDraft, useDraft } from "../../config/draft-store.ts";

/** The running config with the changes of this tab on it. */
export interface ConfigDraft {
  /** The config that runs, as it was read last. */
  running: RunningConfig;
  /** The running config with the edits that fit; this is what the page shows. */
  document: JsonValue;
  /** All edits, including ones that no longer apply. */
  edits: readonly PatchOperation[];
  /** Edits that do not fit the running config. */
  lost: readonly PatchOperation[];
  /** The edits were made on another version than the one that runs. */
  conflict: { version: number | undefined } | undefined;
  /** A version that runs by now and was not read yet. */
  newer: HistoryEntry | undefined;
  /** Adds an edit; the first one binds the draft to the running version. */
  edit(operation: PatchOperation): void;
  /** Drops the last edit. */
  undo(): void;
  /** Drops all edits. */
  discard(): void;
  /** Binds the draft to the running version, with the edits that fit. The others are lost. */
  moveOnto(): void;
}

/**
 * Keeps the running config and the draft together. Without edits it reads a newer config by itself; with
 * edits it only reports it as `newer`, because the page would change under the user's hands.
 * @param running the config that was read last
 */
export function useConfigDraft(running: RunningConfig): ConfigDraft {
  const client = useQueryClient();
  const draft = useDraft();
  const history = useQuery(historyQuery).data;
  const newest = history?.entries[0];
  const edits = draft?.edits ?? [];
  const conflict =
    draft !== undefined && draft.etag !== running.etag ? { version: draft.version } : undefined;
  const { document, fitting, lost } = useMemo(
    () => rebase(running.document, draft?.edits ?? []),
    [running, draft],
  );

  const newestNumber = newest?.n ?? 0;
  const isNewer = newestNumber > (running.version ?? 0);
  const hasEdits = edits.length > 0;
  useEffect(() => {
    // Without edits there is nothing to decide.
    if (newestNumber > (running.version ?? 0) && !hasEdits) {
      void client.invalidateQueries({ queryKey: configQuery.queryKey, exact: true });
    }
  }, [client, newestNumber, running.version, hasEdits]);

  const edit = useCallback(
    (operation: PatchOperation) => {
      const before = currentDraft();
      setDraft({
        etag: before?.etag ?? running.etag,
        version: before === undefined ? running.version : before.version,
        edits: withEdit(before?.edits ?? [], operation),
      });
    },
    [running.etag, running.version],
  );

  return {
    running,
    document,
    edits,
    lost,
    conflict,
    newer: isNewer && hasEdits ? newest : undefined,
    edit,
    undo() {
      if (draft === undefined) {
        return;
      }
      const rest = draft.edits.slice(0, -1);
      setDraft(rest.length === 0 ? undefined : { ...draft, edits: rest });
    },
    discard: () => setDraft(undefined),
    moveOnto: () =>
      setDraft(
        fitting.length === 0 ? undefined : { etag: running.etag, version: running.version, edits: fitting },
      ),
  };
}
