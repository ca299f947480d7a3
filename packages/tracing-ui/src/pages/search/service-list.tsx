import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { CutName } from "ui-kit/components/cut-name.tsx";
import { Pager } from "ui-kit/components/pager.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import { ServiceMark } from "../../components/service-mark.tsx";
import { addressFields } from "../../searches/search-address.ts";
import { filterWord } from "../../trace/filter-word.ts";
import type { ShownServices } from "./service-menu.tsx";
import { withCondition } from "./with-condition.ts";

const route = getRouteApi("/search");
/** Maximum number of services in a list without a filter field. */
const mostWithoutFilter = 20;
/** Number of rows on a page of the list. */
const pageRows = 100;

/**
 * Services with their numbers of spans and of failed spans, most spans first. A click opens the trace with the spans
 * of the service, or searches for the service.
 */
export function ServiceList({ shown, hues }: { shown: ShownServices; hues: ReadonlyMap<string, number> }) {
  const { of, services, traceId } = shown;
  const [text, setText] = useState("");
  const [page, setPage] = useState(1);
  const part = text.trim().toLowerCase();
  const matching = services.filter(({ name }) => name.toLowerCase().includes(part));
  const count = services.length === 1 ? "1 service" : `${formatCount(services.length)} services`;
  return (
    <>
      <h2>
        {count} of {of}
      </h2>
      {services.length > mostWithoutFilter && (
        <input
          className="field"
          aria-label="Filter services"
          placeholder="Filter by name"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setPage(1);
          }}
        />
      )}
      <ul>
        {matching.slice((page - 1) * pageRows, page * pageRows).map(({ name, spans, errors }) => (
          <li key={name}>
            <ServiceMark hue={hues.get(name) ?? serviceHue(name)} />
            <ServiceLink {...{ name, traceId }} />
            {errors > 0 && <span className="mono service-menu-failed">{formatCount(errors)} failed</span>}
            <span className="mono">{formatCount(spans)}</span>
          </li>
        ))}
      </ul>
      {matching.length === 0 && <p className="muted">No service has such a name.</p>}
      <Pager page={page} perPage={pageRows} total={matching.length} what="services" onPage={setPage} />
    </>
  );
}

/** The name of a service as a link: to its spans in the trace, or to the search narrowed to the service. */
function ServiceLink({ name, traceId }: { name: string; traceId: string | undefined }) {
  const address = route.useSearch();
  if (traceId !== undefined) {
    return (
      <Link to="/trace/$traceId" params={{ traceId }} search={{ q: filterWord(name) }}>
        <CutName>{name}</CutName>
      </Link>
    );
  }
  const condition = { scope: "resource", key: "service.name", value: name };
  return (
    <Link to="/search" search={addressFields(withCondition(address, condition))}>
      <CutName>{name}</CutName>
    </Link>
  );
}
