import "./review-panel.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Icon } from "ui-kit/components/icon.tsx";
import { ApiError } from "../../api/api-error.ts";
import { changeConfig, configQuery, type Verdict, validateConfig } from "../../api/config.ts";
import { historyQuery } from "../../api/history.ts";
import type { JsonValue } from "../../api/json-value.ts";
import { DifferenceList } from "../../components/difference-list.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { setDraft } from "../../config/draft-store.ts";
import { explainSafely } from "../../config/explain-patch.ts";
import { pointerOfPath } from "../../config/json-pointer.ts";
import { schemaQuery } from "../../config/schema-query.ts";
import { NewerChanges } from "./newer-changes.tsx";
import type { ConfigDraft } from "./use-config-draft.ts";

/**
 * The changes as the server sees them, its verdict, and the button that applies them. States: a conflict with a newer
 * version, nothing to review, waiting for the verdict, valid, and invalid with links to the faults.
 * @param onGo called with the pointer of a fault to show
 */
export function ReviewPanel({ draft, onGo }: { draft: ConfigDraft; onGo: (pointer: string) => void }) {
  if (draft.conflict !== undefined) {
    return <NewerChanges draft={draft} version={draft.conflict.version} />;
  }
  if (draft.edits.length === 0) {
    return (
      <div className="review">
        <h2>Nothing to review</h2>
        <p className="muted">
          The config here is the one that runs. Choose something in the tree to change it.
        </p>
      </div>
    );
  }
  return <Review draft={draft} onGo={onGo} />;
}

/**
 * Requests the verdict and applies the edits. After a success the draft is discarded, and config, history and schema
 * are loaded again.
 */
function Review({ draft, onGo }: { draft: ConfigDraft; onGo: (pointer: string) => void }) {
  const { document, running, edits } = draft;
  const client = useQueryClient();
  const verdict = useQuery({
    queryKey: ["validate", running.etag, edits],
    queryFn: ({ signal }) => validateConfig(document, signal),
    gcTime: 0,
  });
  const change = useMutation({
    mutationFn: () => changeConfig(edits, running.etag),
    onSuccess: async () => {
      setDraft(undefined);
      await Promise.all([
        client.invalidateQueries({ queryKey: configQuery.queryKey, exact: true }),
        client.invalidateQueries({ queryKey: historyQuery.queryKey, exact: true }),
        client.invalidateQueries({ queryKey: schemaQuery.queryKey }),
      ]);
    },
    onError: async (error) => {
      // The page then shows the newer version beside these changes.
      if (error instanceof ApiError && error.code === "API_CHANGED") {
        await client.invalidateQueries({ queryKey: configQuery.queryKey, exact: true });
      }
    },
  });
  if (verdict.isError) {
    return <FailureNotice error={verdict.error} onRetry={() => verdict.refetch()} />;
  }
  const refused =
    change.isError && !(change.error instanceof ApiError && change.error.code === "API_CHANGED");
  return (
    <section className="review" aria-labelledby="review-title">
      <h2 id="review-title">Review the changes</h2>
      {refused && (
        <p className="review-faults" role="alert">
          The server refused, and goes on with what ran before: {change.error.message}
        </p>
      )}
      {verdict.data === undefined ? (
        <p className="muted" role="status">
          The server looks at it …
        </p>
      ) : (
        <Judged
          verdict={verdict.data}
          before={running.document}
          isApplying={change.isPending}
          onApply={() => change.mutate()}
          onGo={onGo}
        />
      )}
    </section>
  );
}

/** The verdict: a button to apply or the list of faults, then the differences. */
function Judged(props: {
  verdict: Verdict;
  before: JsonValue;
  isApplying: boolean;
  onApply: () => void;
  onGo: (pointer: string) => void;
}) {
  const { verdict, before, isApplying, onApply, onGo } = props;
  const { valid, error, errors = [], changes } = verdict;
  return (
    <>
      {valid ? (
        <div className="review-actions">
          <button type="button" className="button main" disabled={isApplying} onClick={onApply}>
            {isApplying ? "Applying …" : "Apply"}
          </button>
          <span className="muted">
            The server could run this. All of it happens, or nothing; requests under way are not cut.
          </span>
        </div>
      ) : (
        <div className="review-faults" role="alert">
          <p>
            <Icon name="error" /> This cannot run:
          </p>
          <ul>
            {(errors.length > 0 ? errors : [{ path: "/config", message: error ?? "refused" }]).map(
              (fault) => (
                <li key={`${fault.path} ${fault.message}`}>
                  <button type="button" className="mono" onClick={() => onGo(pointerOfPath(fault.path))}>
                    {fault.path}
                  </button>{" "}
                  {fault.message}
                </li>
              ),
            )}
          </ul>
        </div>
      )}
      {changes.length === 0 ? (
        <p className="muted">Taken together, the changes leave everything as it is.</p>
      ) : (
        <DifferenceList differences={explainSafely(before, changes)} />
      )}
    </>
  );
}
