import "./column-menu.css";
import { useRef } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { AttributeField } from "./attribute-field.tsx";
import { mostColumns } from "./columns.ts";

/**
 * A button that opens the menu for extra columns and for the attribute to group by. At the limit of columns, a text
 * replaces the field.
 */
export function ColumnMenu(props: {
  /** Shown columns, in TraceQL syntax. */
  columns: readonly string[];
  /** Called with all columns after a column was added or removed. */
  onColumns: (columns: readonly string[]) => void;
  /** Called with the attribute to group by; the menu closes. */
  onGroup: (attribute: string) => void;
}) {
  const { columns, onColumns, onGroup } = props;
  const menu = useRef<HTMLDivElement>(null);
  return (
    <>
      <button
        type="button"
        className="button"
        popoverTarget="column-menu"
        data-command="Choose columns, or group by an attribute"
      >
        Columns and groups
      </button>
      <div id="column-menu" className="column-menu" popover="auto" ref={menu}>
        <h2>Columns</h2>
        <ul>
          {columns.map((column) => (
            <li key={column}>
              <code className="cut">{column}</code>
              <button
                type="button"
                className="icon-button"
                aria-label={`Remove the column ${column}`}
                onClick={() => onColumns(columns.filter((other) => other !== column))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
        {columns.length < mostColumns ? (
          <AttributeField
            id="column-name"
            label="Add a column"
            onTake={(column) => onColumns([...columns.filter((other) => other !== column), column])}
          />
        ) : (
          <p className="muted">{mostColumns} columns are the most: remove one to add another.</p>
        )}
        <h2>Groups</h2>
        <AttributeField
          id="group-name"
          label="Group by"
          onTake={(attribute) => {
            menu.current?.hidePopover();
            onGroup(attribute);
          }}
        />
      </div>
    </>
  );
}
