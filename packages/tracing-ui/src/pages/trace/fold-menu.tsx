import "./fold-menu.css";
import { type Dispatch, type ReactNode, useRef } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { cutMiddle } from "ui-kit/format/cut-middle.ts";
import { durationText } from "ui-kit/format/format-duration.ts";
import { type FoldRule, foldRuleText, offeredDurations } from "../../trace/fold-rules.ts";
import type { Trace } from "../../trace/trace.ts";
import type { ViewAction } from "./trace-view.ts";

/** Maximum number of offered levels; keys go up to nine. */
const mostLevels = 6;
/** Maximum number of letters of a service name; the middle of a longer name is cut out. */
const mostLetters = 32;

/** The inputs of {@link FoldMenu}. */
interface FoldMenuProps {
  /** The trace, for its levels, services and durations. */
  trace: Trace;
  /** The current rule of folding; undefined for none. */
  rule: FoldRule | undefined;
  /** Takes the action of the chosen rule. */
  dispatch: Dispatch<ViewAction>;
}

/**
 * A button that opens a menu to fold many spans at once: by level, below a duration, by service. The rule
 * in use is marked. Choosing a rule closes the menu.
 */
export function FoldMenu(props: FoldMenuProps) {
  const { trace, rule, dispatch } = props;
  const menu = useRef<HTMLDivElement>(null);
  const levels = Array.from({ length: Math.min(mostLevels, trace.levels - 1) }, (_, index) => index + 1);
  const current = rule === undefined ? "" : foldRuleText(rule);

  const choose = (one: FoldRule) => {
    menu.current?.hidePopover();
    dispatch({ type: "foldBy", rule: one });
  };
  const choice = (one: FoldRule, text: ReactNode, command: string) => (
    <FoldChoice
      key={foldRuleText(one)}
      {...{ text, command }}
      isChosen={current === foldRuleText(one)}
      onChoose={() => choose(one)}
    />
  );

  return (
    <>
      <button
        type="button"
        className="icon-button"
        popoverTarget="fold-menu"
        title="Fold by level, duration or service"
        aria-label="Fold by level, duration or service"
      >
        <Icon name="more" />
      </button>
      <div id="fold-menu" className="fold-menu" popover="auto" ref={menu}>
        {levels.length > 0 && (
          <Group title="Show levels">
            {levels.map((count) =>
              choice(
                { by: "depth", levels: count },
                count,
                `Show ${count} ${count === 1 ? "level" : "levels"}`,
              ),
            )}
          </Group>
        )}
        <Group title="Fold spans shorter than">
          {offeredDurations(trace).map((us) => {
            const text = durationText(us);
            return choice({ by: "duration", us }, text, `Fold spans shorter than ${text}`);
          })}
        </Group>
        <Group title="Fold what is below a service">
          {trace.services.map((name) =>
            choice({ by: "service", name }, cutMiddle(name, mostLetters), `Fold below ${name}`),
          )}
        </Group>
      </div>
    </>
  );
}

/** The inputs of {@link FoldChoice}. */
interface FoldChoiceProps {
  /** Short text of the button; the heading above has the rest. */
  text: ReactNode;
  /** The whole sentence, for the palette and screen readers. */
  command: string;
  /** True when this rule is in use. */
  isChosen: boolean;
  /** Called by a click. */
  onChoose: () => void;
}

/** A rule to choose. */
function FoldChoice({ text, command, isChosen, onChoose }: FoldChoiceProps) {
  return (
    <button
      type="button"
      className="button"
      data-command={command}
      aria-label={command}
      aria-pressed={isChosen}
      onClick={onChoose}
    >
      {text}
    </button>
  );
}

/** A heading and the choices below it. */
function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <div className="fold-menu-choices">{children}</div>
    </section>
  );
}
