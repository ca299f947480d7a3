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

/** The simple fields, all empty: TraceQL takes their place. */
const noFields = {
  ...{ service: undefined, operation: undefined, tags: undefined },
  ...{ minDuration: undefined, maxDuration: undefined },
};

/** The inputs of {@link SearchForm}. */
interface SearchFormProps {
  /** The search that is shown. */
  address: SearchAddress;
  /** Whether there is a service to search. */
  hasServices: boolean;
  can: Capabilities;
  /** True while the search runs; the button shows it. */
  searching: boolean;
  /** Called with the draft when no field is wrong. */
  onSearch: (address: SearchAddress) => void;
  /** Stands at the end of the form. */
  children?: ReactNode;
}

/**
 * The search form: simple fields, or the same conditions as TraceQL. It edits a draft, and hands it over when it is
 * right; a search that fails takes nothing from it. Give it a key made of the address, so that another address
 * starts another draft.
 * @param can what the server's store knows: without TraceQL, fields and one service at a time
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
 * The search as it is edited. Hands it over when it is right; a name of which only half was typed becomes
 * the whole one before. `switched` holds from the first change between fields and TraceQL on.
 */
function useDraft(address: SearchAddress, onSearch: (address: SearchAddress) => void) {
  const client = useQueryClient();
  const [draft, setDraft] = useState(address);
  // Errors of a field are shown after the first search; before, half-typed text is not wrong.
  const [asked, setAsked] = useState(true);
  const errors: FieldErrors = asked ? conditionsOf(draft).errors : {};
  // The button that changes the view goes with the view: the keyboard goes on in the new one.
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
    // Half a name that was typed becomes the whole one, in sight.
    setDraft({ ...draft, service });
    onSearch({ ...draft, service });
  }

  return { draft, errors, switched, change, switchTo, submit };
}
