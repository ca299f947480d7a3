import "./services-page.css";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import { RefreshSelect } from "../../components/refresh-select.tsx";
import { ServiceMark } from "../../components/service-mark.tsx";
import { TimeSelect } from "../../searches/time-select.tsx";
import { RatesBody } from "./rates-body.tsx";
import type { ServicesAddress } from "./services-address.ts";
import { useShownRates } from "./use-shown-rates.ts";

const route = getRouteApi("/services");

/** Changes fields of the address. Resets the table to its first page, unless a page is given. */
type Change = (fields: Partial<ServicesAddress>) => void;

/**
 * Calls, errors and durations of all services, or of one service and its operations, a page at a time. States:
 * counting, failed, a server without rates, no services yet, nothing called, and the table. One service has
 * charts above the table.
 */
export function ServicesPage() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const { service } = address;
  const shown = useShownRates(address);
  const change: Change = (fields) =>
    void navigate({ search: { ...address, page: "1", ...fields }, replace: true });

  useEffect(() => {
    document.title = `${service ?? "Services"} · Tracing`;
  }, [service]);

  return (
    <div className="services-page">
      <PageHead address={address} change={change} />
      <div className="services-body" aria-busy={shown.rates.isFetching || shown.rates.isPlaceholderData}>
        <RatesBody {...{ address, shown, change }} />
      </div>
    </div>
  );
}

/** The inputs of {@link PageHead} and {@link PageTools}. */
interface PageHeadProps {
  /** State of the page. */
  address: ServicesAddress;
  /** Changes the state. */
  change: Change;
}

/** The name of the page or of the service, links to other pages, and the tools. */
function PageHead({ address, change }: PageHeadProps) {
  const { service, lookback } = address;
  return (
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
      {service !== undefined && <ServiceLinks service={service} lookback={lookback} />}
      <PageTools address={address} change={change} />
    </header>
  );
}

/** The inputs of {@link ServiceLinks}. */
interface ServiceLinksProps {
  /** The service of the page. */
  service: string;
  /** Length of the time range, which the links pass to the other pages. */
  lookback: ServicesAddress["lookback"];
}

/** Links to the other pages about a service. */
function ServiceLinks({ service, lookback }: ServiceLinksProps) {
  return (
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
  );
}

/** The fields of the page head: filter, spans that count, automatic refresh and time range. */
function PageTools({ address, change }: PageHeadProps) {
  const { lookback, filter = "", kinds } = address;
  return (
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
  );
}
