import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { useSettled } from "ui-kit/components/use-settled.ts";
import { ratesQuery } from "../../api/rates.ts";

/** Maximum number of names offered below the field; more would cover the page. */
const mostOffered = 20;

/** The inputs of {@link FindService}. */
interface FindServiceProps {
  /** End of the time range in which a service must have been called, milliseconds since 1970. */
  endMs: number;
  /** Milliseconds of the time range. */
  lookbackMs: number;
  /** Called with the name of the found service. */
  onFind: (service: string) => void;
}

/**
 * A field that finds a service by part of its name. The server searches, so any number of services works.
 * Enter chooses the typed name, or the first match, once the answer has arrived.
 */
export function FindService(props: FindServiceProps) {
  const { text, setText, setEntered, names, problem, find } = useFoundService(props);
  return (
    <>
      <input
        className="field"
        data-slash
        data-command=""
        data-key="/"
        aria-label="Find a service"
        placeholder="Find a service"
        list="dependency-names"
        value={text}
        aria-invalid={problem !== undefined}
        title={problem}
        onChange={(event) => {
          const { value } = event.target;
          setEntered(false);
          // A change to exactly a listed name means that the user chose this name from the list.
          if (names.includes(value) && value !== text) {
            find(value);
          } else {
            setText(value);
          }
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            setEntered(text.trim() !== "");
          }
        }}
      />
      <datalist id="dependency-names">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

/** State of the field: the typed text, matching names, and an error. Enter is remembered until the answer arrives. */
function useFoundService({ endMs, lookbackMs, onFind }: FindServiceProps) {
  const [text, setText] = useState("");
  /** True after Enter: the first found name is chosen when the answer arrives. */
  const [isEntered, setEntered] = useState(false);
  const contains = useSettled(text.trim());
  const found = useQuery({
    ...ratesQuery({ endMs, lookbackMs, kinds: "all", contains, sort: "calls" }),
    enabled: contains !== "",
  });
  const names = (found.data?.rows ?? []).slice(0, mostOffered).map(({ service }) => service);
  const isFound = found.data !== undefined && contains !== "" && contains === text.trim();
  function find(name: string) {
    setText("");
    setEntered(false);
    onFind(name);
  }
  const findFirst = useEffectEvent(find);
  const first = names.find((name) => name === contains) ?? names[0];
  useEffect(() => {
    if (isEntered && isFound && first !== undefined) {
      findFirst(first);
    }
  }, [isEntered, isFound, first]);
  const problem = found.isError
    ? `The names could not be read: ${found.error.message}`
    : isEntered && isFound && first === undefined
      ? "No service has such a name"
      : undefined;
  return { text, setText, setEntered, names, problem, find };
}
