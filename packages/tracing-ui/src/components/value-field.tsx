import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { CompletionField } from "ui-kit/components/completion-field.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { attributeNamesQuery, attributeValuesQuery } from "../api/analysis.ts";

/**
 * A field for a value of an attribute, found by its beginning. Empty, it means any. The server looks; the
 * list shows how often each value was seen, or why the values could not be read.
 */
export function ValueField(props: {
  /** Id of the input, for its label. */
  id: string;
  /** Name of the attribute. One that no recent span has is not asked for, so nothing is offered. */
  attribute: string;
  /** The service whose spans count; all without it. */
  service: string | undefined;
  placeholder: string;
  /** The text of the field; undefined for an empty one. */
  value: string | undefined;
  /** Called at each key, and when a value is taken. */
  onChange: (value: string | undefined) => void;
}) {
  const { id, attribute, service, placeholder, value = "", onChange } = props;
  const names = useQuery(attributeNamesQuery);
  const scope = names.data?.find(
    ({ name, scope: of }) => name === attribute && /^(resource|span)$/.test(of),
  )?.scope;
  const typed = useSettled(value);
  const values = useQuery({
    ...attributeValuesQuery(scope ?? "", attribute, typed, service),
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
