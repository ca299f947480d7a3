import { useQuery } from "@tanstack/react-query";
import { differenceQuery, entryQuery, historyQuery } from "../../api/history.ts";
import { DifferenceList } from "../../components/difference-list.tsx";
import { QueryState } from "../../components/query-state.tsx";
import { explainPatch } from "../../config/explain-patch.ts";
import type { ConfigDraft } from "./use-config-draft.ts";

/**
 * Shown when another client changed the config: that client's changes, and the choices for the user's own changes.
 * @param version version that the draft is based on; undefined without a history
 */
export function NewerChanges({ draft, version }: { draft: ConfigDraft; version: number | undefined }) {
  const { edits, lost, moveOnto, discard } = draft;
  const newest = useQuery(historyQuery).data?.entries[0];
  return (
    <section className="review" aria-labelledby="newer-title">
      <h2 id="newer-title">The config was changed meanwhile</h2>
      <p className="muted">
        {newest !== undefined && `By ${newest.author}. `}
        Nothing of yours was applied. The tree shows the newer version with your changes on it.
      </p>
      <div className="review-actions">
        <button
          type="button"
          className="button main"
          onClick={moveOnto}
          disabled={lost.length === edits.length}
        >
          Keep my changes on the newer version
        </button>
        <button type="button" className="button" onClick={discard}>
          Discard my changes
        </button>
      </div>
      {lost.length > 0 && (
        <div className="review-faults" role="alert">
          <p>
            {lost.length} of your {edits.length} changes no longer fit, and would be left out:
          </p>
          <ul>
            {lost.map(({ op, path }, index) => (
              // One path may be changed twice.
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              <li key={index}>
                {op} <span className="mono">{path}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      <h3>What they changed</h3>
      {version === undefined || newest === undefined ? (
        <p className="muted">No history is kept, so the difference is not known.</p>
      ) : (
        <TheirDifference from={version} to={newest.n} />
      )}
    </section>
  );
}

/** The changes between two versions of the history, with the old values. */
function TheirDifference({ from, to }: { from: number; to: number }) {
  const before = useQuery(entryQuery(from));
  const patch = useQuery(differenceQuery(to, from));
  return (
    <QueryState query={before}>
      {(document) => (
        <QueryState query={patch}>
          {(operations) => <DifferenceList differences={explainPatch(document, operations)} />}
        </QueryState>
      )}
    </QueryState>
  );
}
