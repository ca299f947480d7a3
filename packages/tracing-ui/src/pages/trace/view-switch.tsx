import "ui-kit/components/link-switch.css";
import { getRouteApi, Link } from "@tanstack/react-router";
import { changedAddress } from "./trace-address.ts";

const route = getRouteApi("/trace/$traceId");

const views = [
  [undefined, "Waterfall"],
  ["flame", "Flame graph"],
  ["graph", "Graph"],
  ["statistics", "Statistics"],
  ["events", "Events"],
  ["conversation", "Conversation"],
  ["json", "JSON"],
] as const;

/** The ways in which a trace can be looked at, side by side. @param hasConversation some of its spans are of models, agents or tools */
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
