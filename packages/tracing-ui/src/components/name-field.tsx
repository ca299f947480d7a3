import { keepPreviousData, type QueryClient, useQuery } from "@tanstack/react-query";
import { CompletionField } from "ui-kit/components/completion-field.tsx";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { namesQuery } from "../api/names.ts";

/**
 * A field that finds the name of a service or operation by a part of the name. An empty field means all. The
 * server looks, however many names there are; the list says how many more there are, or why they could not
 * be read.
 * @param of       the service whose operations are meant; undefined for services
 * @param disabled asks nothing: an operation of no service
 */
export function NameField(props: {
  /** Id of the input, for its label. */
  id: string;
  of?: string | undefined;
  disabled?: boolean;
  placeholder: string;
  /** The text of the field; undefined for an empty one. */
  value: string | undefined;
  /** Called at each key, and when a name is taken. */
  onChange: (name: string | undefined) => void;
}) {
  const { id, of, disabled = false, placeholder, value = "", onChange } = props;
  const typed = useSettled(value.trim());
  const found = useQuery({
    ...namesQuery({ service: of, contains: typed }),
    ...{ placeholderData: keepPreviousData, enabled: !disabled },
  });
  // A whole name was typed or taken: the list then offers all names again, not this one alone.
  const isWhole = found.data?.names[0] === typed && typed !== "";
  // Whoever opens the list of a whole name wants another.
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
 * The name that a typed part stands for: the first match of the server, or the text itself when it
 * finds none, or fails.
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
