import "./column-menu.css";
import { lazy, Suspense, useRef, useState } from "react";
import { Loading } from "../../components/loading.tsx";

const ColumnChoices = lazy(() =>
  import("./search-parts.ts").then((file) => ({ default: file.ColumnChoices })),
);

/** The inputs of {@link ColumnMenu}. */
export interface ColumnMenuProps {
  /** Shown columns, in TraceQL syntax. */
  columns: readonly string[];
  /** Called with all columns after a column was added or removed. */
  onColumns: (columns: readonly string[]) => void;
  /** Called with the attribute to group by; the menu closes. */
  onGroup: (attribute: string) => void;
}

/**
 * A button that opens the menu for extra columns and for the attribute to group by. The content is loaded
 * when the menu opens.
 */
export function ColumnMenu({ columns, onColumns, onGroup }: ColumnMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
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
      <div
        id="column-menu"
        className="column-menu"
        popover="auto"
        ref={menu}
        onToggle={(event) => setOpen(event.newState === "open")}
      >
        {isOpen && (
          <Suspense fallback={<Loading>Opening…</Loading>}>
            <ColumnChoices
              {...{ columns, onColumns }}
              onGroup={(attribute) => {
                menu.current?.hidePopover();
                onGroup(attribute);
              }}
            />
          </Suspense>
        )}
      </div>
    </>
  );
}
