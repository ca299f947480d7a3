import { Icon } from "ui-kit/components/icon.tsx";
import { AttributeField } from "./attribute-field.tsx";
import type { ColumnMenuProps } from "./column-menu.tsx";
import { mostColumns } from "./columns.ts";

/**
 * The content of the menu of columns: the shown columns, a field for a further column, and a field for the attribute to
 * group by. At the limit of columns, a text replaces the field.
 */
export function ColumnChoices({ columns, onColumns, onGroup }: ColumnMenuProps) {
  return (
    <>
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
      <AttributeField id="group-name" label="Group by" onTake={onGroup} />
    </>
  );
}
