import "./search-form.css";
import type { ReactNode } from "react";

/** Attribute of the field that the key `/` focuses. */
export const slash = { "data-slash": true };

/** The inputs of {@link SearchField}. */
interface SearchFieldProps {
  /** Suffix of the id: the field inside has the id `search-` and this name. */
  name: string;
  /** The text of the label. */
  label: string;
  /** Error message below the field, referenced by `aria-describedby`; undefined for a valid field. */
  error?: string | undefined;
  /** Shown at the end of the label's line. */
  action?: ReactNode;
  /** The field. */
  children: ReactNode;
}

/** A label, a field, and its error message below. */
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
