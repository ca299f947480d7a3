import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo } from "react";
import { configQuery, type RunningConfig } from "../../api/config.ts";
import { type HistoryEntry, historyQuery } from "../../api/history.ts";
import type { PatchOperation } from "../../api/json-patch.ts";
import type { JsonValue } from "../../api/json-value.ts";
import { rebase, withEdit } from "../../config/draft.ts";
import { currentDraft, setDraft, useDraft } from "../../config/draft-store.ts";

/** The running config, and the edits of this tab. */
export interface ConfigDraft {
  /** The running config from the last read. */
  running: RunningConfig;
  /** The running config with the applicable edits; the page shows this document. */
  document: JsonValue;
  /** All edits, including inapplicable ones. */
  edits: readonly PatchOperation[];
  /** Edits that cannot be applied to the running config. */
  lost: readonly PatchOperation[];
  /** Set when the edits are based on another version than the running one. */
  conflict: { version: number | undefined } | undefined;
  /** A newer running version that is not loaded yet. */
  newer: HistoryEntry | undefined;
  /** Adds an edit; the first one bases the draft on the running version. */
  edit(operation: PatchOperation): void;
  /** Removes the last edit. */
  undo(): void;
  /** Removes all edits. */
  discard(): void;
  /** Bases the draft on the running version, with the applicable edits. The others are lost. */
  moveOnto(): void;
}

/**
 * Combines the running config with the draft. Without edits it loads a newer config itself; with edits it only reports
 * `newer`, because the page would change while the user works.
 * @param running config from the last read
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
    // Without edits the newer config can be loaded at once.
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
