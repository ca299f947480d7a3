import "./search-form.css";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import type { Capabilities } from "../../api/analysis.ts";
import { meantName } from "../../components/name-field.tsx";
import type { SearchAddress } from "../../searches/search-address.ts";
import { LimitAndTime, RangeFields } from "./limit-and-time.tsx";
import { QueryField } from "./query-field.tsx";
import { conditionsOf, type FieldErrors } from "./search-of.ts";
import { SimpleFields } from "./simple-fields.tsx";

/** Clears the simple fields when TraceQL replaces them. */
const noFields = {
  ...{ service: undefined, operation: undefined, tags: undefined },
  ...{ minDuration: undefined, maxDuration: undefined },
};

/** The inputs of {@link SearchForm}. */
interface SearchFormProps {
  /** The search that is shown. */
  address: SearchAddress;
  /** True when the store has a service to search. */
  hasServices: boolean;
  can: Capabilities;
  /** True while the search runs; the button shows it. */
  searching: boolean;
  /** Called with the draft when no field is wrong. */
  onSearch: (address: SearchAddress) => void;
  /** Shown at the end of the form. */
  children?: ReactNode;
}

/**
 * The search form: simple fields, or the same conditions as TraceQL. It edits a draft and submits it when it is
 * valid. A failed search keeps the draft. Its React key must be made of the address, so that another address
 * starts another draft.
 * @param can abilities of the store. Without TraceQL the form has simple fields and needs a service
 */
export function SearchForm(props: SearchFormProps) {
  const { address, hasServices, can, searching, onSearch, children } = props;
  const { draft, errors, switched, change, switchTo, submit } = useDraft(address, onSearch);
  const form = useRef<HTMLFormElement>(null);

  return (
    <form
      ref={form}
      className={draft.q === undefined ? "search-form" : "search-form with-query"}
      aria-label="Search traces"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {draft.q !== undefined ? (
        <QueryField
          q={draft.q}
          range={conditionsOf(draft).range}
          focused={switched}
          onSearch={() => form.current?.requestSubmit()}
          onChange={(q) => change({ q })}
          onFields={(fields) => switchTo({ ...noFields, ...fields, q: undefined })}
        />
      ) : (
        <SimpleFields {...{ draft, errors, can, change, switchTo }} focused={switched} />
      )}
      <LimitAndTime {...{ draft, errors, change }} />
      <div className="search-actions">
        <button type="submit" className="button main search-button" disabled={!hasServices && !can.traceql}>
          {searching ? "Searching…" : "Search"}
        </button>
        {children}
      </div>
      {draft.lookback === "custom" && <RangeFields draft={draft} error={errors.range} onChange={change} />}
    </form>
  );
}

/**
 * State of the edited search. Submits it when it is valid, and completes a partly typed service name
 * before that. `switched` is true after the first change between fields and TraceQL.
 */
function useDraft(address: SearchAddress, onSearch: (address: SearchAddress) => void) {
  const client = useQueryClient();
  const [draft, setDraft] = useState(address);
  // Errors show until the first change, and again after a submit: half-typed text is not yet an error.
  const [asked, setAsked] = useState(true);
  const errors: FieldErrors = asked ? conditionsOf(draft).errors : {};
  // The switch unmounts its own button with the old fields, so the new fields must take the focus.
  const [switched, setSwitched] = useState(false);
  const change = (fields: Partial<SearchAddress>) => {
    setDraft({ ...draft, ...fields });
    setAsked(false);
  };
  const switchTo = (fields: Partial<SearchAddress>) => {
    setSwitched(true);
    change(fields);
  };

  async function submit() {
    setAsked(true);
    if (Object.keys(conditionsOf(draft).errors).length > 0) {
      return;
    }
    if (draft.q !== undefined) {
      return onSearch({ ...draft, ...noFields });
    }
    const service = await meantName(client, draft.service);
    if (service === draft.service) {
      return onSearch(draft);
    }
    // The form then shows the completed name.
    setDraft({ ...draft, service });
    onSearch({ ...draft, service });
  }

  return { draft, errors, switched, change, switchTo, submit };
}
