import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { CompletionField } from "ui-kit/components/completion-field.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { attributeNamesQuery, attributeValuesQuery } from "../api/analysis.ts";

/**
 * A field for a value of an attribute, found by its prefix. An empty field means any value. The server searches; the
 * list shows how often each value was seen, or why the values could not be read.
 */
export function ValueField(props: {
  /** Id of the input, for its label. */
  id: string;
  /** Name of the attribute. If no recent span has it, no values are requested or offered. */
  attribute: string;
  /** The service whose spans count; undefined for all services. */
  service: string | undefined;
  placeholder: string;
  /** The text of the field; undefined for an empty field. */
  value: string | undefined;
  /** Called at each key, and when a value of the list is chosen. */
  onChange: (value: string | undefined) => void;
}) {
  const { id, attribute, service, placeholder, value = "", onChange } = props;
  const names = useQuery(attributeNamesQuery());
  const scope = names.data?.find(
    ({ name, scope: of }) => name === attribute && /^(resource|span)$/.test(of),
  )?.scope;
  const typed = useSettled(value);
  const values = useQuery({
    ...attributeValuesQuery(scope ?? "", attribute, typed, { service }),
    ...{ enabled: scope !== undefined, placeholderData: keepPreviousData },
  });
  const problem = names.error ?? values.error;
  const items = (values.data ?? [])
    .filter((one) => one.value !== "")
    .map((one) => ({
      text: one.value,
      isWhole: true,
      note: one.count === undefined ? "" : formatCount(one.count),
    }));
  return (
    <CompletionField
      value={value}
      onValue={(text) => onChange(text === "" ? undefined : text)}
      onCaret={() => {}}
      completions={{
        ...{ from: 0, to: value.length, items },
        ...(problem === null ? {} : { rest: `The values could not be read: ${problem.message}` }),
      }}
      field={{ id, className: "field mono", placeholder, title: value }}
    />
  );
}
