import "./trace-jump.css";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { traceIdInText } from "../trace/trace-id-in-text.ts";

/**
 * The field that opens a trace by its id, or by any text that contains an id. Pasting an id of 16 digits
 * or more opens the trace; other texts need Enter. A text without an id is marked, with a sentence below.
 */
export function TraceJump() {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState(false);

  function go(from: string): boolean {
    const traceId = traceIdInText(from);
    if (traceId === undefined) {
      return false;
    }
    setText("");
    setWrong(false);
    void navigate({ to: "/trace/$traceId", params: { traceId } });
    return true;
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (text.trim() !== "" && !go(text)) {
      setWrong(true);
    }
  }

  return (
    <form className="jump" onSubmit={submit}>
      <Icon name="search" />
      <input
        id="trace-jump"
        className="field"
        aria-label="Go to a trace by its id"
        aria-invalid={wrong}
        aria-describedby={wrong ? "trace-jump-error" : undefined}
        placeholder="Paste a trace id"
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setWrong(false);
        }}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData("text");
          // A shorter id may be only a part of an id, so it waits for Enter.
          if ((traceIdInText(pasted)?.length ?? 0) >= 16 && go(pasted)) {
            event.preventDefault();
          }
        }}
      />
      {wrong && (
        <p id="trace-jump-error" className="jump-error" role="alert">
          No trace id in this text. An id is up to 32 digits of 0–9 and a–f.
        </p>
      )}
    </form>
  );
}
