import "./flame-view.css";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type KeyboardEvent, type RefObject, useMemo, useRef, useState } from "react";
import { CutNames } from "ui-kit/components/cut-name.tsx";
import { useElementSize } from "ui-kit/components/use-element-size.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import { hueStyle, ServiceMark } from "../../../components/service-mark.tsx";
import { groupSpans, type SpanGroup } from "../../../trace/span-groups.ts";
import type { Trace } from "../../../trace/trace.ts";
import { changedAddress } from "../trace-address.ts";
import { type FlameBox, flameLayout } from "./flame-layout.ts";

const route = getRouteApi("/trace/$traceId");
/** Minimum width of a box in pixels, which a pointer can hit. */
const leastPx = 4;
/** Height of a row in pixels. flame-view.css must have the same height. */
const rowPx = 24;

/**
 * The trace as a flame graph: spans with the same call path are one box. The width is the self time of the spans and
 * of all boxes below. A click gives a box the whole width. A line shows the number of groups without room.
 *
 * Keys: arrows or `h j k l` select a neighbour, Enter gives a box the whole width, Esc moves one level up.
 */
export function FlameView({ trace, hues }: { trace: Trace; hues: ReadonlyMap<string, number> }) {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const frame = useRef<HTMLDivElement>(null);
  const { groups, focus, boxes, left } = useFlameLayout(trace, address.at, frame);
  const [pointed, setPointed] = useState<number>();
  const [active, setActive] = useState(0);
  const totalUs = groups.reduce((sum, { parent, weightUs }) => (parent === -1 ? sum + weightUs : sum), 0);

  function goTo(group: number | undefined) {
    const at =
      group === undefined || group === -1 ? undefined : trace.spans[groups[group]?.first ?? -1]?.spanID;
    void navigate({ search: changedAddress(address, { at }), resetScroll: false });
  }

  const shown = groups[pointed ?? focus] ?? groups[boxes[active]?.group ?? 0];
  const share = shown === undefined || totalUs === 0 ? 0 : shown.weightUs / totalUs;
  return (
    <div className="flame">
      <Lead {...{ trace, hues, group: shown, share }} isWhole={focus === -1} onAll={() => goTo(undefined)} />
      {left > 0 && (
        <p className="flame-left muted">
          {left === 1 ? "1 box has" : `${formatCount(left)} boxes have`} no room here. Choose a box to see all
          below it; Statistics lists them, too.
        </p>
      )}
      <div className="flame-scroll">
        <FlameGraph
          {...{ trace, hues, groups, boxes, goTo, focus, active, setActive }}
          frame={frame}
          onPoint={setPointed}
        />
      </div>
    </div>
  );
}

/**
 * The groups of the trace as boxes. `focus` is the group with the whole width, −1 for all; `left` is the
 * number of groups that have no room in the frame.
 * @param at id of a span of the chosen group; undefined for none
 */
function useFlameLayout(trace: Trace, at: string | undefined, frame: RefObject<HTMLElement | null>) {
  const { width } = useElementSize(frame);
  const { groups, groupOf } = useMemo(() => groupSpans(trace), [trace]);
  const focus = useMemo(() => {
    const span = trace.spans.findIndex(({ spanID }) => spanID === at);
    return span === -1 ? -1 : (groupOf[span] as number);
  }, [trace, groupOf, at]);
  const { boxes, left } = useMemo(
    () => (width === 0 ? { boxes: [], left: 0 } : flameLayout(groups, focus, leastPx / width)),
    [groups, focus, width],
  );
  return { groups, focus, boxes, left };
}

/** The inputs of {@link Lead}. */
interface LeadProps {
  /** The trace that is shown. */
  trace: Trace;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** The pointed or chosen group; undefined for a trace without spans. */
  group: SpanGroup | undefined;
  /** The group's share of the time of all groups, 0 to 1. */
  share: number;
  /** True when all groups are shown. */
  isWhole: boolean;
  /** Called when the user wants all groups again. */
  onAll: () => void;
}

/** The line above the graph: the figures of a group, a button that shows all groups, and a link to the waterfall. */
function Lead({ trace, hues, group, share, isWhole, onAll }: LeadProps) {
  const address = route.useSearch();
  return (
    <p className="flame-lead" role="status">
      {group !== undefined && <GroupFacts {...{ trace, group, share, hues }} />}
      {!isWhole && (
        <button type="button" className="button" onClick={onAll}>
          Show all
        </button>
      )}
      {group !== undefined && (
        <Link
          to="/trace/$traceId"
          params={{ traceId: trace.traceId }}
          search={changedAddress(address, {
            ...{ view: undefined, at: undefined, span: trace.spans[group.first]?.spanID },
          })}
          className="button"
        >
          Show in the waterfall
        </Link>
      )}
    </p>
  );
}

/** The inputs of {@link FlameGraph}. */
interface FlameGraphProps {
  /** The trace that is shown. */
  trace: Trace;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** All groups of the trace. */
  groups: readonly SpanGroup[];
  /** The boxes that have room. */
  boxes: readonly FlameBox[];
  /** The group that has the whole width; −1 for all. */
  focus: number;
  /** Index of the box that Tab reaches. */
  active: number;
  /** Changes the active box. */
  setActive: (index: number) => void;
  /** The element of the graph. */
  frame: RefObject<HTMLDivElement | null>;
  /** Gives a group the whole width; undefined and −1 show all groups. */
  goTo: (group: number | undefined) => void;
  /** Called with the group under the pointer, and with undefined when the pointer leaves. */
  onPoint: (group: number | undefined) => void;
}

/** The boxes, and the keys that move between boxes. */
function FlameGraph(props: FlameGraphProps) {
  const { trace, hues, groups, boxes, focus, active, setActive, frame, goTo, onPoint } = props;
  const levels = boxes.reduce((most, { level }) => Math.max(most, level + 1), 0);

  function move(event: KeyboardEvent<HTMLDivElement>) {
    const next = neighbour(boxes, groups, active, event.key);
    if (event.key === "Escape" && focus !== -1) {
      goTo(groups[focus]?.parent);
    } else if (next === undefined) {
      return;
    } else {
      setActive(next);
      frame.current?.querySelector<HTMLElement>(`[data-box="${next}"]`)?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div
      ref={frame}
      className="flame-graph"
      role="tree"
      aria-label="Flame graph"
      tabIndex={-1}
      style={{ height: levels * rowPx }}
      onKeyDown={move}
      onPointerLeave={() => onPoint(undefined)}
    >
      {boxes.map((box, index) => (
        <FlameItem
          key={box.group}
          {...{ trace, hues, box, index }}
          group={groups[box.group] as SpanGroup}
          tabbed={index === Math.min(active, boxes.length - 1)}
          onPoint={() => onPoint(box.group)}
          onFocus={() => {
            setActive(index);
            onPoint(box.group);
          }}
          onChoose={() => goTo(box.group === focus ? groups[focus]?.parent : box.group)}
        />
      ))}
    </div>
  );
}

/** A box, as a button and item of a tree. Tab reaches only the active box. */
function FlameItem(props: {
  trace: Trace;
  hues: ReadonlyMap<string, number>;
  box: FlameBox;
  index: number;
  group: SpanGroup;
  tabbed: boolean;
  onPoint: () => void;
  onFocus: () => void;
  onChoose: () => void;
}) {
  const { trace, hues, box, index, group, tabbed, onPoint, onFocus, onChoose } = props;
  const service = trace.services[group.service] ?? "";
  const style = {
    ...hueStyle(hues.get(service)),
    left: `${100 * box.left}%`,
    top: box.level * rowPx,
    width: `${100 * box.width}%`,
  };
  return (
    <button
      type="button"
      role="treeitem"
      aria-level={box.level + 1}
      aria-selected={tabbed}
      tabIndex={tabbed ? 0 : -1}
      data-box={index}
      className={`service flame-box ${group.errors > 0 ? "failed" : ""}`}
      style={style}
      aria-label={`${service} ${group.operation}, ${group.count} spans, ${durationText(group.weightUs)}, ${group.errors} failed`}
      onPointerEnter={onPoint}
      onFocus={onFocus}
      onClick={onChoose}
    >
      <span className="flame-text cut">
        <b>{service}</b> {group.operation}
        {group.count > 1 && <span className="flame-count"> ×{formatCount(group.count)}</span>}
      </span>
    </button>
  );
}

/** The figures of the pointed or chosen group. */
function GroupFacts(props: {
  trace: Trace;
  group: SpanGroup;
  share: number;
  hues: ReadonlyMap<string, number>;
}) {
  const { trace, group, share, hues } = props;
  const service = trace.services[group.service] ?? "";
  return (
    <span className="flame-facts">
      <ServiceMark hue={hues.get(service)} />
      <CutNames service={service} operation={group.operation} />
      <span className="mono">
        {durationText(group.weightUs)} <span className="unit">self time in and below · </span>
        {durationText(group.selfUs)} <span className="unit">itself · </span>
        {(100 * share).toFixed(1)}
        <span className="unit"> % · </span>
        {formatCount(group.count)} <span className="unit">{group.count === 1 ? "span" : "spans"}</span>
        {group.errors > 0 && <span className="flame-errors"> · {formatCount(group.errors)} failed</span>}
      </span>
    </span>
  );
}

/** The box that a key selects. Down: the widest child; up: the parent; left and right: a neighbour in the row. */
function neighbour(
  boxes: readonly FlameBox[],
  groups: readonly SpanGroup[],
  active: number,
  key: string,
): number | undefined {
  const box = boxes[active];
  if (box === undefined) {
    return undefined;
  }
  const found = (index: number) => (index === -1 ? undefined : index);
  switch (key) {
    case "ArrowDown":
    case "j":
      return found(boxes.findIndex(({ group }) => groups[group]?.parent === box.group));
    case "ArrowUp":
    case "k":
      return found(boxes.findIndex(({ group }) => group === groups[box.group]?.parent));
    case "ArrowRight":
    case "l":
      return found(
        boxes.findIndex(({ level, left }) => level === box.level && left >= box.left + box.width - 1e-9),
      );
    case "ArrowLeft":
    case "h":
      return found(boxes.findLastIndex(({ level, left }) => level === box.level && left < box.left - 1e-9));
    default:
      return undefined;
  }
}
