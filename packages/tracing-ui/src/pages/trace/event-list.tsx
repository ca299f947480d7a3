import type { ReactNode } from "react";
import { CopyButton } from "ui-kit/components/copy-button.tsx";
import { Duration } from "ui-kit/components/duration.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { PrettyText, usePretty } from "../../components/pretty-text.tsx";
import { ValueLinks } from "../../components/value-links.tsx";
import { attributeLinks, lookupOf } from "../../links/link-patterns.ts";
import { uiConfig } from "../../links/ui-config.ts";
import type { Trace } from "../../trace/trace.ts";
import type { ApiAttribute } from "../../trace/trace-schema.ts";
import { matchingAttributes } from "./attribute-table.tsx";

/**
 * Maximum number of events that are shown. With more, a line below shows the total. A span may have thousands of
 * events, and each needs several elements.
 */
const mostEvents = 200;
/** Maximum number of letters of a field that are shown in its line. */
const mostFieldLetters = 2_000;

/**
 * The events of a span: marks on a line as long as the span, then a list. With more than 200 events a line shows
 * their number.
 * @param span index of the span
 * @param filter text that shown fields must contain
 */
export function EventList({ trace, span: at, filter }: { trace: Trace; span: number; filter: string }) {
  const span = trace.spans[at];
  const logs = (span?.logs ?? []).toSorted((a, b) => a.timestamp - b.timestamp);
  const us = Math.max(trace.spanUs[at] as number, 1);
  const startUs = span?.startTime ?? 0;
  return (
    <div className="events">
      <div className="event-line" aria-hidden="true">
        {logs.slice(0, mostEvents).map((log, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: events have no name of their own
            key={index}
            style={{ left: `${Math.min(100, Math.max(0, (100 * (log.timestamp - startUs)) / us))}%` }}
          />
        ))}
      </div>
      <ol>
        {logs.slice(0, mostEvents).map((log, index) => {
          const [first, ...rest] = log.fields;
          const named = first !== undefined && (first.key === "event" || first.key === "message");
          const fields = matchingAttributes(named ? rest : log.fields, filter);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: events have no name of their own
            <li key={index}>
              <Duration us={Math.abs(log.timestamp - startUs)} sign={log.timestamp < startUs ? "−" : "+"} />
              <div>
                {named && <span className="event-name">{String(first.value)}</span>}
                {fields.map((attribute, field) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a sender may repeat a key
                  <EventField key={`${field} ${attribute.key}`} attribute={attribute}>
                    {span !== undefined && (
                      <ValueLinks
                        links={attributeLinks(
                          uiConfig.linkPatterns,
                          "logs",
                          attribute,
                          lookupOf(trace, at, log.fields),
                        )}
                      />
                    )}
                  </EventField>
                ))}
              </div>
            </li>
          );
        })}
      </ol>
      {logs.length > mostEvents && (
        <p className="muted">
          The first {mostEvents} of {formatCount(logs.length)} events. The JSON holds all.
        </p>
      )}
    </div>
  );
}

/**
 * A field of an event: inline, or formatted below its key.
 * @param children configured links of the field
 */
export function EventField({ attribute, children }: { attribute: ApiAttribute; children?: ReactNode }) {
  const text = String(attribute.value);
  const pretty = usePretty(attribute.key, text);
  if (pretty === undefined || pretty.kind === "url") {
    return (
      <span className="event-field mono" dir="auto">
        <span className="unit">{attribute.key}=</span>
        {text.slice(0, mostFieldLetters)}
        {children}
      </span>
    );
  }
  return (
    <div className="event-field laid-out mono">
      <span className="unit">{attribute.key}=</span>
      {children}
      <CopyButton text={text} label={`Copy the value of ${attribute.key}`} />
      <PrettyText value={pretty} />
    </div>
  );
}
