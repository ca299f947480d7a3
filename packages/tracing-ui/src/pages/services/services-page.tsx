import "./services-page.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { CutName } from "ui-kit/components/cut-name.tsx";
import { Notice } from "ui-kit/components/notice.tsx";
import { Pager } from "ui-kit/components/pager.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import { ApiError } from "../../api/api-error.ts";
import { firstServicesQuery } from "../../api/names.ts";
import { ratesPerPage, ratesQuery } from "../../api/rates.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import { RefreshSelect, refetchInterval } from "../../components/refresh-select.tsx";
import { ServiceMark } from "../../components/service-mark.tsx";
import { TimeSelect } from "../../searches/time-select.tsx";
import { RateTable } from "./rate-table.tsx";
import { ServiceCharts } from "./service-charts.tsx";
import { lookbackMs, type ServicesAddress } from "./services-address.ts";
import type { TracesSearch } from "./traces-of-rate.ts";
import { useAskedTime } from "./use-asked-time.ts";

const route = getRouteApi("/services");

/**
 * Calls, errors and durations of all services, or of one and its operations, a page at a time. States:
 * counting, failed, a server without rates, no services yet, nothing called, and the table. One service has
 * charts above the table.
 */
export function ServicesPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { service, lookback, sort, filter = "", kinds } = address;
  const page = Number(address.page);
  const asked = { endMs: useAskedTime(), lookbackMs: lookbackMs(lookback), kinds };
  const wanted = useSettled(filter.trim());
  const again = { placeholderData: keepPreviousData, refetchInterval: refetchInterval(address.refresh) };
  const rates = useQuery({
    ...ratesQuery({ ...asked, service, contains: wanted, sort, page }),
    ...again,
  });
  const whole = useQuery({
    ...ratesQuery({ ...asked, names: [service ?? ""] }),
    enabled: service !== undefined,
    ...again,
  });
  const isEmpty = service === undefined && wanted === "" && rates.data?.total === 0;
  // Only an empty list needs the question whether there are services that nobody called.
  const services = useQuery({ ...firstServicesQuery, enabled: isEmpty });
  const change = (fields: Partial<ServicesAddress>) =>
    navigate({ search: { ...address, page: "1", ...fields }, replace: true });

  const showTraces = (search: TracesSearch) => void navigate({ to: "/search", search });

  useEffect(() => {
    document.title = `${service ?? "Services"} · Tracing`;
  }, [service]);

  function body() {
    const failed = [services, rates, whole].filter((query) => query.isError);
    const error = failed[0]?.error;
    if (error instanceof ApiError && error.status === 501) {
      return <NoMetrics />;
    }
    if (error) {
      return <FailureNotice error={error} onRetry={() => failed.map((query) => query.refetch())} />;
    }
    if (isEmpty && services.data?.total === 0) {
      return (
        <Notice kind="plain" title="No services yet">
          <p>
            They appear here with their first spans. The <Link to="/search">search</Link> shows how to send
            one.
          </p>
        </Notice>
      );
    }
    if (rates.data === undefined) {
      return <Loading>Counting…</Loading>;
    }
    const { rows, total } = rates.data;
    const own = whole.data?.rows.find((row) => row.service === service);
    return (
      <>
        {service !== undefined && whole.data !== undefined && own !== undefined && (
          <ServiceCharts row={own} times={whole.data.times} onTraces={showTraces} />
        )}
        {rows.length === 0 ? (
          <p className="services-note">
            {wanted === "" ? "Nothing was called in this time." : `No name contains “${wanted}”.`}{" "}
            {kinds === "served" &&
              wanted === "" &&
              "Spans that only work for themselves count with “All spans”."}
          </p>
        ) : (
          <RateTable
            rows={rows}
            head={
              service === undefined ? `Service (${formatCount(total)})` : `Operation (${formatCount(total)})`
            }
            sort={sort}
            onSort={(next) => change({ sort: next })}
            lookback={lookback}
            onTraces={showTraces}
            name={(row) =>
              service === undefined ? (
                <Link
                  to="/services"
                  search={{ ...address, service: row.service, filter: undefined, page: "1" }}
                >
                  <ServiceMark hue={serviceHue(row.service)} />
                  <CutName>{row.service}</CutName>
                </Link>
              ) : (
                <Link
                  to="/search"
                  search={{ service: row.service, operation: row.operation, lookback }}
                  title="Search its traces"
                >
                  <CutName>{row.operation}</CutName>
                </Link>
              )
            }
          />
        )}
        <Pager
          page={page}
          perPage={ratesPerPage}
          total={total}
          what={service === undefined ? "services" : "operations"}
          onPage={(next) => void change({ page: String(next) })}
        />
      </>
    );
  }

  return (
    <div className="services-page">
      <header className="page-head">
        {service !== undefined && (
          <Link to="/services" search={{ ...address, service: undefined, filter: undefined, page: "1" }}>
            All services
          </Link>
        )}
        <h1 className="page-title">
          {service !== undefined && <ServiceMark hue={serviceHue(service)} />}
          {service ?? "Services"}
        </h1>
        {service !== undefined && (
          <nav className="page-head-links" aria-label="More of this service">
            <Link to="/search" search={{ service, lookback }}>
              Traces
            </Link>
            <Link to="/exceptions" search={{ service, lookback }}>
              Exceptions
            </Link>
            <Link to="/dependencies" search={{ focus: service, lookback }}>
              Dependencies
            </Link>
            <Link to="/changes" search={{ service, lookback }}>
              Changes
            </Link>
          </nav>
        )}
        <div className="page-head-tools">
          <input
            className="field"
            data-slash
            data-command=""
            data-key="/"
            aria-label="Filter by name"
            placeholder="Filter by name"
            value={filter}
            onChange={(event) => change({ filter: event.target.value || undefined })}
          />
          <select
            className="field"
            aria-label="Spans that count"
            value={kinds}
            onChange={(event) => change({ kinds: event.target.value as ServicesAddress["kinds"] })}
          >
            <option value="served">Calls answered</option>
            <option value="all">All spans</option>
          </select>
          <RefreshSelect
            value={address.refresh}
            onChange={(refresh) => change({ refresh, page: address.page })}
          />
          <TimeSelect
            value={lookback}
            onChange={(value) => change({ lookback: value as ServicesAddress["lookback"] })}
          />
        </div>
      </header>
      <div className="services-body" aria-busy={rates.isFetching || rates.isPlaceholderData}>
        {body()}
      </div>
    </div>
  );
}

/** Says that the server has no rates, and which options bring them. */
function NoMetrics() {
  return (
    <Notice kind="plain" title="This server has no rates">
      <p>
        They come from the built-in store, or from a Prometheus server: start the query service with{" "}
        <code>--metrics-storage.type=prometheus</code> and <code>--prometheus.server-url</code>.
      </p>
    </Notice>
  );
}
