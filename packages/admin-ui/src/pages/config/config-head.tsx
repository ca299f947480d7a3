import { useQueryClient } from "@tanstack/react-query";
import { Icon } from "ui-kit/components/icon.tsx";
import { configQuery } from "../../api/config.ts";
import type { HistoryEntry } from "../../api/history.ts";
import type { ConfigDraft } from "./use-config-draft.ts";

/** The inputs of {@link ConfigHead}. */
interface ConfigHeadProps {
  /** The edits that the buttons undo and discard. */
  draft: ConfigDraft;
  /** Number of values in the draft that violate the schema. */
  faultCount: number;
  /** True when the review is shown instead of a part of the config. */
  isReview: boolean;
  /** Called by the button that opens or closes the review. */
  onReview: () => void;
}

/** The head of the config page: how many changes wait, how many faults they have, and what to do with them. */
export function ConfigHead({ draft, faultCount, isReview, onReview }: ConfigHeadProps) {
  const { edits } = draft;
  return (
    <div className="config-head">
      <h1>Config</h1>
      <p className="muted" role="status">
        {edits.length === 0
          ? "as it runs"
          : `${edits.length} ${edits.length === 1 ? "change" : "changes"} not applied`}
        {faultCount > 0 && `, ${faultCount} ${faultCount === 1 ? "fault" : "faults"}`}
      </p>
      <div className="config-head-actions">
        {edits.length > 0 && (
          <>
            <button type="button" className="button" onClick={draft.undo}>
              Undo the last
            </button>
            <button type="button" className="button" onClick={draft.discard}>
              Discard all
            </button>
            <button type="button" className={isReview ? "button" : "button main"} onClick={onReview}>
              {isReview ? "Back to editing" : "Review and apply"}
            </button>
          </>
        )}
      </div>
      {draft.newer !== undefined && <NewerVersion newer={draft.newer} />}
    </div>
  );
}

/**
 * The bar for a config that another client changed while there are edits. Its button reads the newer
 * config; the page then shows the conflict.
 */
function NewerVersion({ newer }: { newer: HistoryEntry }) {
  const client = useQueryClient();
  return (
    <div className="config-newer" role="alert">
      <Icon name="warning" />
      <span>
        The config was changed by {newer.author} (version {newer.n}). Your changes are kept.
      </span>
      <button
        type="button"
        className="button"
        onClick={() => void client.invalidateQueries({ queryKey: configQuery.queryKey, exact: true })}
      >
        See the newer version
      </button>
    </div>
  );
}
