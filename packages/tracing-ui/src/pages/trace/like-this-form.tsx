import "./like-this-form.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { capabilitiesQuery } from "../../api/analysis.ts";
import type { Trace } from "../../trace/trace.ts";
import {
  fieldsOfTraits,
  firstTraits,
  type Trait,
  timeAround,
  traceQlOfTraits,
  traitsOf,
} from "./like-this.ts";

/** A choice shows this many characters of a value, and `…` for the rest. The search uses the whole value. */
const mostLetters = 60;

/**
 * Chooses the traits that other traces must share with a span, and links to the search for them. Chosen at
 * first: service, operation, and failure. Stores without TraceQL need the service.
 * @param span   index of the span
 * @param filter text that offered attributes must contain; chosen attributes always stay
 */
export function LikeThis({ trace, span, filter }: { trace: Trace; span: number; filter: string }) {
  const traits = useMemo(() => traitsOf(trace, span), [trace, span]);
  const [chosen, setChosen] = useState(() => firstTraits(traits));
  const traceQl = useQuery(capabilitiesQuery).data?.traceql ?? false;
  const taken = traits.filter(({ id }) => chosen.has(id));
  const word = filter.trim().toLowerCase();
  const shown = traits.filter(
    ({ id, name, value }) => chosen.has(id) || `${name}=${value}`.toLowerCase().includes(word),
  );
  const search = traceQl ? { q: traceQlOfTraits(taken) } : fieldsOfTraits(taken);
  // Stores without TraceQL are searched service by service.
  const enough = traceQl ? taken.length > 0 : chosen.has("service");
  const time = timeAround(trace.spans[span]?.startTime ?? 0, Date.now() * 1_000);
  const asText = Object.fromEntries(
    Object.entries({ ...search, ...time }).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, String(value)]],
    ),
  );

  function toggle(id: string) {
    const next = new Set(chosen);
    if (!next.delete(id)) {
      next.add(id);
    }
    setChosen(next);
  }

  return (
    <section className="like-this" aria-label="Find traces like this">
      <fieldset>
        <legend>Traces with a span of the same</legend>
        {shown.map((trait) => (
          <label key={trait.id} title={`${trait.name} = ${trait.value.slice(0, 500)}`}>
            <input type="checkbox" checked={chosen.has(trait.id)} onChange={() => toggle(trait.id)} />
            <TraitText trait={trait} />
          </label>
        ))}
      </fieldset>
      <p className="like-this-query">
        {enough ? (
          <Link to="/search" search={asText} className="button main">
            Find traces
          </Link>
        ) : (
          <span className="muted">
            {traceQl ? "Choose something to look for." : "This store is searched by service: choose it too."}
          </span>
        )}
        {traceQl && taken.length > 0 && <code>{traceQlOfTraits(taken)}</code>}
      </p>
    </section>
  );
}

/** A trait as text, with its value cut at 60 letters. */
function TraitText({ trait: { kind, name, value } }: { trait: Trait }) {
  if (kind === "failed") {
    return <span>failed</span>;
  }
  return (
    <span>
      <span className="like-this-name">{name}</span>{" "}
      <bdi className="mono">
        {value === "" ? "(empty)" : value.slice(0, mostLetters)}
        {value.length > mostLetters && "…"}
      </bdi>
    </span>
  );
}
