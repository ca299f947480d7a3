import { Link } from "@tanstack/react-router";
import type { JsonValue } from "../../api/json-value.ts";
import type { HandlerOnWay, RequestWay, RouteOnWay } from "../../api/rehearsal.ts";
import { type State, StateMark } from "../../components/state-mark.tsx";
import { valueAt } from "../../config/json-pointer.ts";
import { matchText } from "./match-text.ts";
import { verdictOf } from "./verdict.ts";

/**
 * Texts and states for the server's effect names. An unknown effect is shown as sent.
 */
const effects: Readonly<Record<string, { state: State; text: string }>> = {
  ran: { state: "unknown", text: "runs" },
  "changes the answer": { state: "unknown", text: "changes the answer" },
  answers: { state: "good", text: "answers" },
  fails: { state: "bad", text: "fails the request" },
  "may answer": { state: "warning", text: "may answer, or pass it on" },
  "has routes": { state: "unknown", text: "has routes" },
};

/**
 * The result of a rehearsal, and the matching routes.
 * @param config running config, for the matchers of a route; undefined until loaded
 */
export function WayPanel({ way, config }: { way: RequestWay; config: JsonValue | undefined }) {
  return (
    <div className="way">
      <WayEnd way={way} />
      {way.server !== null && (
        <section aria-labelledby="way-routes">
          <h2 id="way-routes" className="section-title">
            Its way through the server {way.server}
          </h2>
          {way.routes.length === 0 ? (
            <p className="muted">No route matches.</p>
          ) : (
            <ol className="way-routes">
              {way.routes.map((one, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a route may be on the way twice
                <WayRoute key={index} route={one} config={config} />
              ))}
            </ol>
          )}
          <PassedRoutes way={way} config={config} />
        </section>
      )}
    </div>
  );
}

/**
 * The result: verdict, responding handler and known header fields. When no server receives the request, the listen
 * addresses are shown.
 */
function WayEnd({ way }: { way: RequestWay }) {
  const { state, title, text } = verdictOf(way);
  const { answered_by, may_answer_before, listeners, headers } = way;
  const fields = Object.entries(headers).flatMap(([name, values]) => values.map((value) => [name, value]));
  return (
    <section className="card way-end" role="status" aria-label="What the client gets">
      <p className="way-verdict">
        <StateMark state={state} text={title} />
        {answered_by !== null && <PlaceLink at={answered_by.at} />}
      </p>
      {text !== "" && <p className="muted">{text}</p>}
      {may_answer_before.length > 0 && (
        <p className="muted">
          Before that may answer: {may_answer_before.map(({ name }) => name).join(", ")}.
        </p>
      )}
      {way.server === null && (
        <p className="muted">
          {listeners.length === 0
            ? "No server listens at all."
            : `Servers listen at ${listeners.map(({ address, tls }) => `${tls ? "https" : "http"}://${address}`).join(", ")}.`}
        </p>
      )}
      {fields.length > 0 && (
        <dl className="way-fields mono">
          {fields.map(([name, value], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: several fields may have one name
            <div key={index}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

/**
 * A matching route with its handlers. Nested routes are indented, at most eight steps of 16 pixels.
 */
function WayRoute({
  route: { at, handlers, after },
  config,
}: {
  route: RouteOnWay;
  config: JsonValue | undefined;
}) {
  // Routes of a handler are nested inside it.
  const depth = at === null ? 0 : at.split("/handle/").length - 1;
  return (
    <li className="way-route" style={{ marginLeft: Math.min(depth, 8) * 16 }}>
      <p>
        <PlaceLink at={at} /> <Matchers at={at} config={config} />
      </p>
      <ul>
        {handlers.map((handler, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a handler may occur twice in a route
          <WayHandler key={index} {...handler} />
        ))}
      </ul>
      {after !== undefined && (
        <p className="mono way-after">
          <span className="unit">becomes</span> {after.method} {after.host}
          {after.uri}
        </p>
      )}
    </li>
  );
}

function WayHandler({ name, effect }: HandlerOnWay) {
  const { state, text } = effects[effect] ?? { state: "unknown", text: effect };
  return (
    <li>
      <code>{name}</code> <StateMark state={state} text={text} />
    </li>
  );
}

/** The routes that did not match, with the matchers that refused; folded at first. */
function PassedRoutes({ way, config }: { way: RequestWay; config: JsonValue | undefined }) {
  const { passed, passed_count } = way;
  if (passed_count === 0) {
    return null;
  }
  return (
    <details className="way-passed">
      <summary>
        {passed_count} {passed_count === 1 ? "route was" : "routes were"} tried and not for it
      </summary>
      <ul>
        {passed.map(({ at, refused_by }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a route may be tried twice
          <li key={index}>
            <PlaceLink at={at} /> <Matchers at={at} config={config} />{" "}
            <span className="muted">
              {refused_by.includes("group")
                ? "another of its group was first"
                : `${refused_by.join(", ")} ${refused_by.length === 1 ? "does" : "do"} not match`}
            </span>
          </li>
        ))}
        {passed_count > passed.length && <li className="muted">and {passed_count - passed.length} more</li>}
      </ul>
    </details>
  );
}

/** The matchers of a route, from the running config; nothing until it is loaded. */
function Matchers({ at, config }: { at: string | null; config: JsonValue | undefined }) {
  const text = at === null || config === undefined ? "" : matchText(valueAt(config, `${at}/match`));
  return text === "" ? null : <span className="mono way-match">{text}</span>;
}

/** A link to a place in the config, without the prefix common to all places. */
function PlaceLink({ at }: { at: string | null }) {
  if (at === null) {
    return <span className="muted">added by the server</span>;
  }
  return (
    <Link to="/config" search={{ at }} className="mono way-place">
      {at.replace(/^\/apps\/http\/servers\/[^/]*\//, "")}
    </Link>
  );
}
