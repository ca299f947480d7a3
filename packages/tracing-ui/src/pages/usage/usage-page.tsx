import "../services/services-page.css";
import "../services/rate-table.css";
import "./usage-page.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { CutName } from "ui-kit/components/cut-name.tsx";
import { Pager } from "ui-kit/components/pager.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { servicesPerPage, type Usage, usageQuery } from "../../api/usage.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import { TimeSelect } from "../../searches/time-select.tsx";
import { lookbackMs, type ServicesAddress } from "../services/services-address.ts";
import { estimateText } from "./estimate-text.ts";

const route = getRouteApi("/usage");

/**
 * Spans and bytes by service, and the largest attributes with the number of searches for them. States: counting,
 * failed (also when the server counts no usage), and the two lists.
 */
export function UsagePage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { lookback, filter = "" } = address;
  const page = Number(address.page);
  const contains = useSettled(filter.trim());
  const { data, error, refetch, isFetching } = useQuery({
    ...usageQuery({ contains, page, lookbackMs: lookbackMs(lookback) }),
    placeholderData: keepPreviousData,
  });
  const change = (fields: Partial<ServicesAddress>) =>
    void navigate({ search: { ...address, page: "1", ...fields }, replace: true });

  return (
    <div className="services-page usage-page">
      <title>Usage · Tracing</title>
      <header className="page-head">
        <h1 className="page-title">Usage</h1>
        <div className="page-head-tools">
          <input
            className="field"
            data-slash
            data-command=""
            data-key="/"
            aria-label="Filter by service"
            placeholder="Service"
            value={filter}
            onChange={(event) => change({ filter: event.target.value || undefined })}
          />
          <TimeSelect
            value={lookback}
            onChange={(value) => change({ lookback: value as ServicesAddress["lookback"] })}
          />
        </div>
      </header>
      <section
        className="services-body"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key
        tabIndex={0}
        aria-label="Usage by service and attribute"
        aria-busy={isFetching}
      >
        {error ? (
          <FailureNotice error={error} onRetry={() => refetch()} />
        ) : data === undefined ? (
          <Loading>Counting…</Loading>
        ) : (
          <FoundUsage usage={data} page={page} onPage={(next) => change({ page: String(next) })} />
        )}
      </section>
    </div>
  );
}

/** Both lists, below a sentence that says which figures are counted, and which are estimated from what. */
function FoundUsage(props: { usage: Usage; page: number; onPage: (page: number) => void }) {
  const { usage, page, onPage } = props;
  const { sample, searchedSince, searchesAreWhole, isWhole, total } = usage;
  return (
    <>
      <p className="services-note">
        Spans are counted{isWhole ? "" : ", of the largest services only"}. Bytes are estimated from{" "}
        {formatCount(sample.spans)} spans of the newest {formatCount(sample.traces)} traces, before they are
        packed. Searches{searchesAreWhole ? "" : ", of some names only,"} are counted since{" "}
        {new Date(searchedSince).toISOString().slice(0, 16)} UTC.
      </p>
      <UsageTable
        title="Services"
        second="Spans"
        rows={usage.services.map(({ name, spans, ...rest }) => ({
          ...{ ...rest, key: name, second: formatCount(spans) },
          name: (
            <Link to="/services" search={{ service: name }}>
              <CutName>{name}</CutName>
            </Link>
          ),
        }))}
      />
      <Pager page={page} perPage={servicesPerPage} total={total} what="services" onPage={onPage} />
      <UsageTable
        title="Attributes"
        second="Scope"
        rows={usage.attributes.map(({ name, scope, ...rest }) => ({
          ...{ ...rest, key: scope + name, second: scope, name: <CutName>{name}</CutName> },
        }))}
      />
    </>
  );
}

/** A row of either list. */
interface UsageRow {
  key: string;
  name: ReactNode;
  second: string;
  estimatedBytes: number | null;
  searches: number;
}

function UsageTable(props: { title: string; second: string; rows: readonly UsageRow[] }) {
  const { title, second, rows } = props;
  return (
    <table aria-label={title} className="rates usage">
      <thead>
        <tr>
          {[title, second, "Bytes, estimated", "Searches"].map((head, index) => (
            <th key={head} scope="col" className={index === 0 ? "rate-name" : ""}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <td className="rate-name cut">{row.name}</td>
            <td className="mono">{row.second}</td>
            <td className="usage-estimate">{estimateText(row.estimatedBytes)}</td>
            <td className="mono">{row.searches === 0 ? "none" : formatCount(row.searches)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
