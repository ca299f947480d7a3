import "./search-form.css";
import type { ReactNode } from "react";

/** The field that the key / goes to. */
export const slash = { "data-slash": true };

/** The inputs of {@link SearchField}. */
interface SearchFieldProps {
  /** Part of the ids: the field within has the id `search-` and this name. */
  name: string;
  /** The words before the field. */
  label: string;
  /** The fault below the field, which names it by `aria-describedby`; undefined for none. */
  error?: string | undefined;
  /** Stands at the end of the label's line. */
  action?: ReactNode;
  /** The field. */
  children: ReactNode;
}

/** A label, a field, and its fault below it. */
export function SearchField(props: SearchFieldProps) {
  const { name, label, error, action, children } = props;
  return (
    <div className={`search-field search-field-${name}`}>
      <div className="search-field-head">
        <label htmlFor={`search-${name}`}>{label}</label>
        {action}
      </div>
      {children}
      {error !== undefined && (
        <p id={`search-${name}-error`} className="field-error">
          {error}
        </p>
      )}
    </div>
  );
}
