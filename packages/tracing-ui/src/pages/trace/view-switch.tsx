import "ui-kit/components/link-switch.css";
import { getRouteApi, Link } from "@tanstack/react-router";
import { changedAddress } from "./trace-address.ts";

const route = getRouteApi("/trace/$traceId");

/** The views with their titles, in the order of the switch; the waterfall has no word in the address. */
const views = [
  [undefined, "Waterfall"],
  ["flame", "Flame graph"],
  ["graph", "Graph"],
  ["statistics", "Statistics"],
  ["events", "Events"],
  ["conversation", "Conversation"],
  ["json", "JSON"],
] as const;

/**
 * The views of a trace side by side; the present one is marked.
 * @param hasConversation whether some span is of a model, an agent or a tool; else that view is left out
 */
export function ViewSwitch({ traceId, hasConversation }: { traceId: string; hasConversation: boolean }) {
  const address = route.useSearch();
  return (
    <nav className="link-switch" aria-label="Views of the trace">
      {views
        .filter(([view]) => view !== "conversation" || hasConversation || address.view === view)
        .map(([view, title]) => (
          <Link
            key={title}
            data-command={`Show as ${title === "JSON" ? title : title.toLowerCase()}`}
            to="/trace/$traceId"
            params={{ traceId }}
            search={changedAddress(address, { view })}
            // Without these the router takes each link for the present page: they differ in the search alone.
            activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          >
            {title}
          </Link>
        ))}
    </nav>
  );
}
