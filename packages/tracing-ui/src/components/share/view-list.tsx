import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Pager } from "ui-kit/components/pager.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { viewsPerPage, viewsQuery } from "../../api/views.ts";
import { failureWords } from "./failure-words.ts";
import { ViewRow } from "./view-row.tsx";

/**
 * The views saved for all users, filtered and paged by the query service. States: loading, failed with
 * a button to retry, none saved, none found, and the list.
 */
export function ViewList() {
  const [typed, setTyped] = useState("");
  const [page, setPage] = useState(1);
  const contains = useSettled(typed.trim());
  const { data, error, refetch } = useQuery({
    ...viewsQuery(contains, page),
    placeholderData: keepPreviousData,
  });
  return (
    <section aria-labelledby="share-views">
      <h3 id="share-views">Saved views</h3>
      <input
        className="field share-filter"
        aria-label="Filter the saved views"
        placeholder="Filter by name, note or address"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setPage(1);
        }}
      />
      {error !== null ? (
        <p className="failed-text" role="alert">
          The views could not be listed. {failureWords(error)}{" "}
          <button type="button" className="button" onClick={() => void refetch()}>
            Try again
          </button>
        </p>
      ) : data === undefined ? (
        <p className="muted" role="status">
          Loading the saved views…
        </p>
      ) : (
        <>
          {data.total === 0 && (
            <p className="muted">
              {contains === "" ? "Nobody has saved a view yet." : `No view has “${contains}” in it.`}
            </p>
          )}
          <ul className="share-views">
            {data.views.map((view) => (
              <ViewRow key={view.name} view={view} />
            ))}
          </ul>
          <Pager page={page} perPage={viewsPerPage} total={data.total} what="views" onPage={setPage} />
        </>
      )}
    </section>
  );
}
