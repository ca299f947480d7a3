import { keepPreviousData, type QueryClient, useQuery } from "@tanstack/react-query";
import { CompletionField } from "ui-kit/components/completion-field.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { namesQuery } from "../api/names.ts";

/**
 * A field that finds the name of a service or operation by a part of the name. An empty field means all. The
 * server searches, so any number of names works. The list shows how many more match, or why they could not
 * be read.
 * @param of       the service whose operations are listed; undefined to list services
 * @param disabled true sends no requests: operations need a service
 */
export function NameField(props: {
  /** Id of the input, for its label. */
  id: string;
  of?: string | undefined;
  disabled?: boolean;
  placeholder: string;
  /** The text of the field; undefined for an empty field. */
  value: string | undefined;
  /** Called at each key, and when a name of the list is chosen. */
  onChange: (name: string | undefined) => void;
}) {
  const { id, of, disabled = false, placeholder, value = "", onChange } = props;
  const typed = useSettled(value.trim());
  const found = useQuery({
    ...namesQuery({ service: of, contains: typed }),
    ...{ placeholderData: keepPreviousData, enabled: !disabled },
  });
  // The field holds a whole name: the list then offers all names again instead of this name only.
  const isWhole = found.data?.names[0] === typed && typed !== "";
  // A user who opens the list while the field holds a whole name wants another name.
  const others = useQuery({
    ...namesQuery({ service: of, contains: "" }),
    enabled: !disabled && isWhole,
  });
  const data = isWhole ? (others.data ?? found.data) : found.data;
  const names = disabled ? [] : (data?.names ?? []);
  const more = disabled ? 0 : (data?.total ?? 0) - names.length;
  return (
    <CompletionField
      value={value}
      onValue={(text) => onChange(text === "" ? undefined : text)}
      onCaret={() => {}}
      completions={{
        ...{ from: 0, to: value.length },
        items: names.map((text) => ({ text, isWhole: true })),
        ...(more > 0 ? { rest: `${formatCount(more)} more: type a part of the name` } : {}),
        ...(found.isError ? { rest: `The names could not be read: ${found.error.message}` } : {}),
      }}
      field={{ id, className: "field", placeholder, title: value }}
    />
  );
}

/**
 * Completes a typed part to a name: the first match of the server, or the typed text when the server
 * finds no name or fails.
 */
export async function meantName(client: QueryClient, typed: string | undefined): Promise<string | undefined> {
  if (typed === undefined) {
    return typed;
  }
  try {
    const { names } = await client.fetchQuery({ ...namesQuery({ contains: typed.trim() }), retry: false });
    return names[0] ?? typed;
  } catch {
    return typed;
  }
}
