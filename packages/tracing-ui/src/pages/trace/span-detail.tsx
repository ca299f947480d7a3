import "./span-detail.css";
import { type Dispatch, type ReactNode, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { CopyButton } from "ui-kit/components/copy-button.tsx";
import { Duration } from "ui-kit/components/duration.tsx";
import { Icon } from "ui-kit/components/icon.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { clockText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import type { AttributePlace } from "wire/link-template";
import { percentileText, type SpanPeers } from "../../api/trace-peers.ts";
import { hueStyle } from "../../components/service-mark.tsx";
import { attributeLinks, lookupOf } from "../../links/link-patterns.ts";
import { topFirst, uiConfig } from "../../links/ui-config.ts";
import { isSmallCorrection } from "../../trace/clock-correction.ts";
import { isNegativeDuration, tagText } from "../../trace/span-facts.ts";
import type { Trace } from "../../trace/trace.ts";
import type { ApiAttribute, ApiSpan } from "../../trace/trace-schema.ts";
import { AttributeTable, matchingAttributes } from "./attribute-table.tsx";
import { EventList } from "./event-list.tsx";
import { LikeThis } from "./like-this-form.tsx";
import { SpanNotes } from "./notes/span-notes.tsx";
import { isSavedPage } from "./saved-trace.ts";
import { SpanLinks } from "./span-links.tsx";
import type { ViewAction } from "./trace-view.ts";

/** Minimum number of attributes for a filter field. */
const filterFrom = 6;
/** Maximum number of letters shown of a name; the copy button copies the whole name. */
const mostNameLetters = 1_000;

/** The inputs of {@link SpanDetail}. */
interface SpanDetailProps {
  /** The trace of the span. */
  trace: Trace;
  /** Index of the shown span in the trace. */
  span: number;
  id: string;
  top: number;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** Percentile rank of the span among its peers; undefined when unknown. */
  peers: SpanPeers | undefined;
  /** Receives the actions of buttons and links. */
  dispatch: Dispatch<ViewAction>;
  onHeight: (height: number) => void;
}

/**
 * All details of a span, below its row: facts, warnings, notes, attributes, events, links and
 * resource. A field filters attributes and event fields.
 * @param id       id of the panel element
 * @param top      pixels from the first row
 * @param onHeight called with the panel's height, now and when it changes
 */
export function SpanDetail(props: SpanDetailProps) {
  const { trace, span: at, id, top, hues, peers, dispatch, onHeight } = props;
  const [filter, setFilter] = useState("");
  const [likeThis, setLikeThis] = useState(false);
  const panel = useRef<HTMLDivElement>(null);
  useHeight(panel, onHeight);
  const span = trace.spans[at];
  if (span === undefined) {
    return null;
  }

  const service = trace.services[trace.service[at] as number] ?? "";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of a form
    <div
      ref={panel}
      id={id}
      role="group"
      aria-label={`Details of ${span.operationName.slice(0, 200)}`}
      className="service span-detail"
      style={{ ...hueStyle(hues.get(service)), transform: `translateY(${top}px)` }}
    >
      <div className="span-detail-inner">
        <Facts
          {...{ trace, at, peers, likeThis }}
          onLikeThis={() => setLikeThis((open) => !open)}
          onClose={() => dispatch({ type: "toggleOpen", span: at })}
        >
          {countAttributes(trace, span) >= filterFrom && (
            <input
              className="field"
              aria-label="Filter attributes"
              placeholder="Filter attributes"
              spellCheck={false}
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
            />
          )}
        </Facts>
        {likeThis && <LikeThis trace={trace} span={at} filter={filter} />}
        <Warnings span={span} />
        <Parts {...{ trace, at, span, hues, filter, dispatch }} />
      </div>
    </div>
  );
}

/** Number of attributes that the filter searches: attributes of the span, its resource and its events. */
function countAttributes(trace: Trace, span: ApiSpan): number {
  const events = (span.logs ?? []).reduce((sum, log) => sum + log.fields.length, 0);
  return (span.tags ?? []).length + (trace.processes[span.processID]?.tags ?? []).length + events;
}

/** The warnings of the span. A span that ends before it begins gets an additional warning. */
function Warnings({ span }: { span: ApiSpan }) {
  const warnings = [
    ...(span.warnings ?? []),
    ...(isNegativeDuration(span) ? ["This span ends before it begins; its duration is shown as 0."] : []),
  ];
  if (warnings.length === 0) {
    return null;
  }
  return (
    <ul className="span-warnings">
      {warnings.map((warning) => (
        <li key={warning} className={isSmallCorrection(warning) ? "span-note" : undefined}>
          {!isSmallCorrection(warning) && <Icon name="warning" />}
          {warning}
        </li>
      ))}
    </ul>
  );
}

/** The inputs of {@link Parts}. */
interface PartsProps extends Pick<SpanDetailProps, "trace" | "hues" | "dispatch"> {
  /** Index of the shown span in the trace. */
  at: number;
  span: ApiSpan;
  /** Text of the filter of attributes. */
  filter: string;
}

/** The sections of the panel: notes and attributes on the left, events, links and resource on the right. */
function Parts({ trace, at, span, hues, filter, dispatch }: PartsProps) {
  const service = trace.services[trace.service[at] as number] ?? "";
  const resource = trace.processes[span.processID]?.tags ?? [];
  const tags = span.tags ?? [];
  const logs = span.logs ?? [];
  const linksOf = (place: AttributePlace, own: readonly ApiAttribute[]) => (attribute: ApiAttribute) =>
    attributeLinks(uiConfig.linkPatterns, place, attribute, lookupOf(trace, at, own));
  const show = (attributes: readonly ApiAttribute[]) => matchingAttributes(attributes, filter);
  return (
    <div className="span-detail-columns">
      <div>
        <SpanNotes traceId={trace.traceId} spanId={span.spanID} />
        <Section title="Attributes" count={tags.length} shown={show(tags).length}>
          <AttributeTable
            attributes={topFirst(show(tags))}
            service={service}
            linksOf={linksOf("tags", tags)}
          />
        </Section>
      </div>
      <div>
        {logs.length > 0 && (
          <Section title="Events" count={logs.length} shown={logs.length}>
            <EventList trace={trace} span={at} filter={filter} />
          </Section>
        )}
        <SpanLinks trace={trace} span={at} hues={hues} dispatch={dispatch} />
        <Section title="Resource" count={resource.length} shown={show(resource).length}>
          <AttributeTable attributes={show(resource)} linksOf={linksOf("process", resource)} />
        </Section>
      </div>
    </div>
  );
}

/** The inputs of {@link Facts}. */
interface FactsProps {
  trace: Trace;
  at: number;
  peers: SpanPeers | undefined;
  likeThis: boolean;
  onLikeThis: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** The head of the panel: operation, start, duration, peers, kind and id, then the buttons. */
function Facts(props: FactsProps) {
  const { trace, at, peers, likeThis, onLikeThis, onClose, children } = props;
  const zone = useChoice(zoneChoice);
  const span = trace.spans[at];
  if (span === undefined) {
    return null;
  }
  const kind = tagText(span, "span.kind");
  return (
    <header className="span-facts">
      <dl>
        <NameFact trace={trace} at={at} />
        <div className="span-fact">
          <dt>Start</dt>
          <dd>
            <Duration us={span.startTime - trace.startUs} sign="+" />
            <span className="mono unit"> {clockText(span.startTime, zone, 6)}</span>
          </dd>
        </div>
        <div className="span-fact">
          <dt>Duration</dt>
          <dd>
            <Duration us={trace.spanUs[at] as number} />
          </dd>
        </div>
        {peers !== undefined && <PeersFact peers={peers} />}
        {kind !== undefined && (
          <div className="span-fact">
            <dt>Kind</dt>
            <dd>{kind}</dd>
          </div>
        )}
        <div className="span-fact">
          <dt>Span id</dt>
          <dd className="span-id mono">
            {span.spanID}
            <CopyButton text={span.spanID} label="Copy the span id" />
          </dd>
        </div>
      </dl>
      <div className="span-actions">
        {children}
        {!isSavedPage() && (
          <button
            type="button"
            className={likeThis ? "button chosen" : "button"}
            aria-expanded={likeThis}
            onClick={onLikeThis}
          >
            Find traces like this
          </button>
        )}
        <button type="button" className="icon-button" aria-label="Close the details" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
    </header>
  );
}

/** Service and operation. The copy button copies the whole name of the operation. */
function NameFact({ trace, at }: { trace: Trace; at: number }) {
  const name = trace.spans[at]?.operationName ?? "";
  return (
    <div className="span-fact span-full-name">
      <dt>Operation</dt>
      <dd>
        <b>{trace.services[trace.service[at] as number]}</b> <bdi>{name.slice(0, mostNameLetters)}</bdi>
        <CopyButton text={name} label="Copy the name of the operation" />
      </dd>
    </div>
  );
}

/** Percentile rank of the span among the spans of its operation, and percentiles of their durations. */
function PeersFact({ peers }: { peers: SpanPeers }) {
  return (
    <div className="span-fact" title="Spans of this operation in the hour before">
      <dt>Among its peers</dt>
      <dd>
        <span className="mono">{percentileText(peers.percentile)}</span>
        <span className="unit"> of {formatCount(peers.peers)} spans · median </span>
        <Duration us={peers.medianUs} />
        <span className="unit"> · p95 </span>
        <Duration us={peers.p95Us} />
        <span className="unit"> · p99 </span>
        <Duration us={peers.p99Us} />
      </dd>
    </div>
  );
}

/** The number beside the title counts all entries of the section. With a filter it also shows the number of matches. */
function Section(props: { title: string; count: number; shown: number; children: ReactNode }) {
  const { title, count, shown, children } = props;
  return (
    <section className="span-section">
      <h2>
        {title} <span className="mono unit">{shown === count ? count : `${shown} of ${count}`}</span>
      </h2>
      {children}
    </section>
  );
}

/**
 * Reports the element's height in pixels, before the first paint and at each change. The observer stops
 * with the panel.
 */
function useHeight(element: { current: HTMLDivElement | null }, onHeight: (height: number) => void): void {
  const tell = useEffectEvent((height: number) => onHeight(height));
  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) {
      return;
    }
    tell(target.offsetHeight);
    const observer = new ResizeObserver(() => tell(target.offsetHeight));
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
}
