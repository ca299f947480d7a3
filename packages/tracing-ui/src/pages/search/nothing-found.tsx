import { Notice } from "../../components/notice.tsx";
import { lookbacks, type SearchAddress } from "./search-address.ts";

/** Says that a search found nothing, and offers the wider searches that are one click away. */
export function NothingFound(props: { address: SearchAddress; onSearch: (address: SearchAddress) => void }) {
  const { address, onSearch } = props;
  const filters = [address.operation, address.tags, address.minDuration, address.maxDuration].filter(Boolean);
  const range = lookbacks.find((entry) => entry.value === address.lookback);
  return (
    <Notice kind="plain" title={`No traces of ${address.service} match`}>
      <p>
        {filters.length > 0 ? "Nothing fits all the fields above" : "This service sent no spans"}
        {range === undefined ? " in that range." : ` in the ${range.label.toLowerCase()}.`}
      </p>
      <p className="notice-actions">
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
