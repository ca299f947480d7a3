import "./pretty-text.css";
import { useMemo, useState } from "react";
import { formatCount } from "ui-kit/format/format-count.ts";
import { type PrettyValue, prettyValue } from "../format/pretty-value.ts";
import type { StackLine } from "../format/stack-frames.ts";

/** Maximum number of lines shown before the user asks for more. */
const mostLines = 16;
/**
 * Maximum number of lines that are ever added to the page. More elements would make the page slow; the copy button
 * copies the whole value.
 */
const mostPossibleLines = 2_000;

/**
 * The formatted layout of a value; undefined when no layout is better than the text. Computed once for each
 * text.
 * @param key name of the attribute; the value of a name with `stack` may be a stack trace
 */
export function usePretty(key: string, text: string): PrettyValue | undefined {
  return useMemo(() => prettyValue(key, text), [key, text]);
}

/** A formatted value: JSON and SQL by lines, an address by its parts, a stack trace with library calls folded. */
export function PrettyText({ value }: { value: PrettyValue }) {
  if (value.kind === "stack") {
    return <StackText lines={value.lines} />;
  }
  if (value.kind === "url") {
    return (
      <dl className="pretty-parts mono">
        {value.parts.map(([name, part], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an address may repeat a name
          <div key={index}>
            <dt>{name}</dt>
            <dd dir="auto">{part}</dd>
          </div>
        ))}
      </dl>
    );
  }
  return <FoldedLines lines={value.text.split("\n")} />;
}

/** The first lines of a long text, and a button that shows the others. */
function FoldedLines({ lines }: { lines: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  const shown = lines.slice(0, isOpen ? mostPossibleLines : mostLines);
  const rest = lines.length - mostLines;
  return (
    <>
      <pre className="pretty-lines mono" dir="auto">
        {shown.join("\n")}
      </pre>
      {rest > 0 && (
        <button type="button" className="pretty-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show fewer lines" : `Show ${formatCount(rest)} more ${rest === 1 ? "line" : "lines"}`}
        </button>
      )}
    </>
  );
}

/** A stack trace. Library calls are folded; calls of the program itself are visible. */
function StackText({ lines }: { lines: readonly StackLine[] }) {
  const groups: { isLibrary: boolean; lines: StackLine[] }[] = [];
  for (const line of lines.slice(0, mostPossibleLines)) {
    const isLibrary = line.kind === "library";
    const last = groups.at(-1);
    if (last?.isLibrary === isLibrary) {
      last.lines.push(line);
    } else {
      groups.push({ isLibrary, lines: [line] });
    }
  }
  return (
    <div className="pretty-stack mono">
      {groups.map((group, index) =>
        group.isLibrary && group.lines.length > 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a stack trace repeat
          <details key={index}>
            <summary>{formatCount(group.lines.length)} lines in libraries</summary>
            <Lines lines={group.lines} />
          </details>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a stack trace repeat
          <Lines key={index} lines={group.lines} />
        ),
      )}
    </div>
  );
}

/** Lines of a stack trace, styled by kind. */
function Lines({ lines }: { lines: readonly StackLine[] }) {
  return lines.map(({ kind, text }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of a stack trace repeat
    <div key={index} className={`pretty-stack-line pretty-stack-${kind}`}>
      {text}
    </div>
  ));
}
