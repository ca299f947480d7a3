import { Notice } from "ui-kit/components/notice.tsx";
import { lookbacks, type SearchAddress } from "../../searches/search-address.ts";

/** The inputs of {@link NothingFound}. */
interface NothingFoundProps {
  address: SearchAddress;
  /** True when the search was for trace ids. */
  byIds: boolean;
  /** Called with a wider search. */
  onSearch: (address: SearchAddress) => void;
}

/**
 * Shows that a search found nothing, and offers wider searches by one click: without the
 * selection, over seven days, without the filters. For ids there is no wider search.
 */
export function NothingFound({ address, byIds, onSearch }: NothingFoundProps) {
  if (byIds) {
    return (
      <Notice kind="plain" title="None of these traces is in the store">
        <p>They may have been left out by sampling, or deleted because of their age.</p>
      </Notice>
    );
  }
  const { q, sel } = address;
  const filters = [q, address.operation, address.tags, address.minDuration, address.maxDuration].filter(
    Boolean,
  );
  const range = lookbacks.find((entry) => entry.value === address.lookback);
  return (
    <Notice
      kind="plain"
      title={address.service === undefined ? "No traces match" : `No traces of ${address.service} match`}
    >
      <p>
        {q !== undefined
          ? "Nothing fits the query above"
          : filters.length > 0
            ? "Nothing fits all the fields above"
            : "No spans arrived"}
        {range === undefined ? " in that range." : ` in the ${range.label.toLowerCase()}.`}
      </p>
      <p className="notice-actions">
        {sel !== undefined && (
          <button type="button" className="button" onClick={() => onSearch({ ...address, sel: undefined })}>
            Clear the selection
          </button>
        )}
        {address.lookback !== "7d" && (
          <button type="button" className="button" onClick={() => onSearch({ ...address, lookback: "7d" })}>
            Look back 7 days
          </button>
        )}
        {filters.length > 0 && (
          <button
            type="button"
            className="button"
            onClick={() =>
              onSearch({
                ...address,
                q: undefined,
                operation: undefined,
                tags: undefined,
                minDuration: undefined,
                maxDuration: undefined,
              })
            }
          >
            Search without the filters
          </button>
        )}
      </p>
    </Notice>
  );
}
