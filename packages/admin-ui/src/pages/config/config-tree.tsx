import "./config-tree.css";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { maxRows, preview, type TreeRow } from "../../config/tree-rows.ts";
import { treeAction } from "./tree-keys.ts";

/** Props of {@link ConfigTree}. */
interface ConfigTreeProps {
  rows: readonly TreeRow[];
  selected: string;
  changed: ReadonlySet<string>;
  faulty: ReadonlySet<string>;
  found: ReadonlySet<string>;
  /** Called with the pointer of the row to select. */
  onSelect: (pointer: string) => void;
  /** Called with true to unfold a value, with false to fold it. */
  onFold: (pointer: string, unfold: boolean) => void;
  /** Called on Enter: the field of the selected value should get the focus. */
  onEdit: () => void;
}

/**
 * The config as a tree, one focusable element with the rows as its active descendants. Source: WAI-ARIA
 * Authoring Practices, "Tree View Pattern"
 *
 * Keys:
 * - `j` `k`, down and up: next and previous row
 * - `l`, right: unfold, then select the first member
 * - `h`, left: fold, then select the parent
 * - Home, End: first and last row
 * - Enter: edit the selected value
 * @param rows visible rows, from top to bottom; at `maxRows` a last row says that there are more
 * @param changed pointers of the values that the draft changes
 * @param faulty pointers of the values that violate the schema
 * @param found pointers of the values that the search found
 */
export function ConfigTree(props: ConfigTreeProps) {
  const { rows, selected, changed, faulty, found, onSelect, onFold, onEdit } = props;
  const tree = useRef<HTMLDivElement>(null);
  const at = rows.findIndex((row) => row.pointer === selected);

  useEffect(() => {
    if (at >= 0) {
      tree.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
    }
  }, [at]);

  function onKey(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const action = treeAction(event.key, rows, at);
    if (action === undefined) {
      return;
    }
    if (action.kind === "select") {
      onSelect(action.pointer);
    } else if (action.kind === "fold") {
      onFold(action.pointer, action.unfold);
    } else if (action.kind === "edit") {
      onEdit();
    }
    event.preventDefault();
  }

  return (
    <div
      ref={tree}
      id="config-tree"
      className="config-tree"
      role="tree"
      aria-label="Config"
      tabIndex={0}
      aria-activedescendant={at >= 0 ? rowId(selected) : undefined}
      onKeyDown={onKey}
    >
      {rows.map((row) => (
        <Row
          key={row.pointer}
          row={row}
          isSelected={row.pointer === selected}
          className={`${changed.has(row.pointer) ? "changed" : ""} ${found.has(row.pointer) ? "found" : ""}`}
          isFaulty={faulty.has(row.pointer)}
          onSelect={onSelect}
          onFold={onFold}
        />
      ))}
      {rows.length >= maxRows && (
        <p className="tree-row muted">… and more lines: fold something, or look for a name</p>
      )}
    </div>
  );
}

/**
 * A row of the tree: caret, name, a fault mark, then a preview or the number of members. A click selects, a double
 * click or a click on the caret folds.
 */
function Row(props: {
  row: TreeRow;
  isSelected: boolean;
  isFaulty: boolean;
  className: string;
  onSelect: (pointer: string) => void;
  onFold: (pointer: string, unfold: boolean) => void;
}) {
  const { row, isSelected, isFaulty, className, onSelect, onFold } = props;
  const { pointer, name, level, size, value, expanded } = row;
  const text = preview(value);
  return (
    // The tree has the focus, and marks its current row with aria-activedescendant.
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      id={rowId(pointer)}
      className={`tree-row ${className}`}
      role="treeitem"
      aria-level={level}
      aria-selected={isSelected}
      aria-expanded={size ? expanded : undefined}
      style={{ paddingLeft: 4 + Math.min(level - 1, 12) * 14 }}
      onClick={() => onSelect(pointer)}
      onDoubleClick={() => size !== undefined && onFold(pointer, !expanded)}
    >
      {/* The mouse folds by this element; keys and screen readers fold by the row itself. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: see above */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above */}
      <span
        className="tree-fold"
        onClick={(event) => {
          if (!size) {
            return;
          }
          event.stopPropagation();
          onFold(pointer, !expanded);
        }}
      >
        {size ? <Icon name="caret" /> : null}
      </span>
      <span className="tree-name">{name}</span>
      {isFaulty && (
        <>
          <Icon name="error" className="fault" />
          <span className="visually-hidden">has a fault</span>
        </>
      )}
      <span className="tree-value">
        {text}
        {size !== undefined && text === "" && (
          <span className="unit">
            {Array.isArray(value) ? "list of " : ""}
            {size}
          </span>
        )}
      </span>
    </div>
  );
}

/** Id of a row's element. Pointers may contain any character, so they are encoded. */
function rowId(pointer: string): string {
  return `row-${encodeURIComponent(pointer)}`;
}
