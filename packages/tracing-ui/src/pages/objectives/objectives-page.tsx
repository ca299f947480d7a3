import "../services/services-page.css";
import "./objectives-page.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { Pager } from "ui-kit/components/pager.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { objectiveStates } from "../../api/objective-states.ts";
import { type ObjectiveList, objectivesPerPage, objectivesQuery } from "../../api/objectives.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import { RefreshSelect, refetchInterval } from "../../components/refresh-select.tsx";
import { ObjectiveDetail } from "./objective-detail.tsx";
import { stateLabel } from "./objective-state.tsx";
import { ObjectiveTable } from "./objective-table.tsx";
import type { ObjectivesAddress } from "./objectives-address.ts";

const route = getRouteApi("/objectives");

/**
 * Objectives of spans with their error budgets, a page at a time, or one objective. States: counting, failed,
 * no file of objectives, none found, the list, and one objective.
 */
export function ObjectivesPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { name, state, sort, filter = "" } = address;
  const page = Number(address.page);
  const contains = useSettled(filter.trim());
  const again = refetchInterval(address.refresh);
  const found = useQuery({
    ...objectivesQuery({ contains, state, order: sort, page }),
    enabled: name === undefined,
    placeholderData: keepPreviousData,
    refetchInterval: again,
  });
  const change = (fields: Partial<ObjectivesAddress>) =>
    void navigate({ search: { ...address, page: "1", ...fields }, replace: true });

  useEffect(() => {
    document.title = `${name ?? "Objectives"} · Tracing`;
  }, [name]);

  function body() {
    if (name !== undefined) {
      return <ObjectiveDetail name={name} refetchInterval={again} />;
    }
    const { error, data } = found;
    if (error) {
      return <FailureNotice error={error} onRetry={() => found.refetch()} />;
    }
    if (data === undefined) {
      return <Loading>Counting…</Loading>;
    }
    return <FoundObjectives found={data} address={address} onChange={change} />;
  }

  return (
    <div className="services-page objectives-page">
      <header className="page-head">
        <Heading address={address} />
        <div className="page-head-tools">
          {name === undefined && <Filters address={address} states={found.data?.states} onChange={change} />}
          <RefreshSelect
            value={address.refresh}
            onChange={(refresh) => change({ refresh, page: address.page })}
          />
        </div>
      </header>
      <section
        className="services-body"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key
        tabIndex={0}
        aria-label={name === undefined ? "List of objectives" : "Objective"}
        aria-busy={found.isFetching}
      >
        {body()}
      </section>
    </div>
  );
}

/** The title: the name of one objective with a link back to all, or "Objectives". */
function Heading({ address }: { address: ObjectivesAddress }) {
  return (
    <>
      {address.name !== undefined && (
        <Link to="/objectives" search={{ ...address, name: undefined }}>
          All objectives
        </Link>
      )}
      <h1 className="page-title">{address.name ?? "Objectives"}</h1>
    </>
  );
}

/** Changes fields of the address and resets the list to its first page. */
type Change = (fields: Partial<ObjectivesAddress>) => void;

/** The filter by name or service, and the choice of a state with counts. */
function Filters(props: {
  address: ObjectivesAddress;
  states: ObjectiveList["states"] | undefined;
  onChange: Change;
}) {
  const { address, states, onChange } = props;
  return (
    <>
      <input
        className="field"
        data-slash
        data-command=""
        data-key="/"
        aria-label="Filter by name or service"
        placeholder="Name or service"
        value={address.filter ?? ""}
        onChange={(event) => onChange({ filter: event.target.value || undefined })}
      />
      <select
        className="field"
        aria-label="State"
        value={address.state ?? ""}
        onChange={(event) =>
          onChange({ state: (event.target.value || undefined) as ObjectivesAddress["state"] })
        }
      >
        <option value="">All states</option>
        {objectiveStates.map((one) => (
          <option key={one} value={one}>
            {stateLabel(one)}
            {states !== undefined && ` (${formatCount(states[one] ?? 0)})`}
          </option>
        ))}
      </select>
    </>
  );
}

/** The list with warnings above it; a notice when the query service has no file of objectives. */
function FoundObjectives(props: { found: ObjectiveList; address: ObjectivesAddress; onChange: Change }) {
  const { found, address, onChange } = props;
  if (!found.isOn) {
    return <NoFile />;
  }
  return (
    <>
      <Troubles {...found} />
      {found.objectives.length === 0 ? (
        <p className="services-note">
          {found.total === 0 ? "The file has no objectives for you." : "No objective matches."}
        </p>
      ) : (
        <ObjectiveTable
          objectives={found.objectives}
          matched={formatCount(found.matched)}
          address={address}
          onSort={(next) => onChange({ sort: next })}
        />
      )}
      <Pager
        page={Number(address.page)}
        perPage={objectivesPerPage}
        total={found.matched}
        what="objectives"
        onPage={(next) => onChange({ page: String(next) })}
      />
    </>
  );
}

/** Warnings about the file of objectives, and about alert targets that do not answer. */
function Troubles({ fileError, targets }: Pick<ObjectiveList, "fileError" | "targets">) {
  const broken = targets.filter(({ error }) => error !== undefined);
  return (
    <>
      {fileError !== undefined && (
        <p className="objective-warning" role="alert">
          The file of objectives has a mistake, so the one before is in use: {fileError}
        </p>
      )}
      {broken.map(({ host, kind, error, waiting }) => (
        <p className="objective-warning" role="alert" key={`${kind} ${host}`}>
          Alerts do not reach {host} ({kind}): {error}. {formatCount(waiting)} wait.
        </p>
      ))}
    </>
  );
}

/** Help for the first objective: the option of the query service, and the smallest file. */
function NoFile() {
  return (
    <Notice kind="plain" title="No objectives yet">
      <p>
        They come from a file: start the query service with <code>--query.objectives-file</code>.
      </p>
      <pre className="mono">{`objectives:
  - name: checkout
    service: shop
    target: 99.9`}</pre>
    </Notice>
  );
}
