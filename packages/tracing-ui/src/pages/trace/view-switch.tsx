import "ui-kit/components/link-switch.css";
import { getRouteApi, Link } from "@tanstack/react-router";
import { uiConfig } from "../../links/ui-config.ts";
import { changedAddress } from "./trace-address.ts";

const route = getRouteApi("/trace/$traceId");

/** The views with their titles, in the order of the switch. The waterfall has no value in the address. */
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
 * Links to the views of a trace; the current view is marked.
 * @param hasConversation true when a span belongs to a model, an agent or a tool; false hides the conversation view
 */
export function ViewSwitch({ traceId, hasConversation }: { traceId: string; hasConversation: boolean }) {
  const address = route.useSearch();
  return (
    <nav className="link-switch" aria-label="Views of the trace">
      {views
        .filter(([view]) => view !== "conversation" || hasConversation || address.view === view)
        .filter(([view]) => view !== "json" || !uiConfig.disableJsonView)
        .map(([view, title]) => (
          <Link
            key={title}
            data-command={`Show as ${title === "JSON" ? title : title.toLowerCase()}`}
            to="/trace/$traceId"
            params={{ traceId }}
            search={changedAddress(address, { view })}
            // Without these options the router marks every link as active, because the links differ only in the
            // search part.
            activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          >
            {title}
          </Link>
        ))}
    </nav>
  );
}
