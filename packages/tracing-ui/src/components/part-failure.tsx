import "./part-failure.css";

/**
 * Shows a line when one part of a page could not be read; the rest is shown. A button requests this part
 * again.
 * @param what name of the part, in the plural, with a capital letter: `Rates of services`
 */
export function PartFailure(props: { what: string; error: Error | null | undefined; onRetry: () => void }) {
  const { what, error, onRetry } = props;
  return (
    <p className="part-failure" role="alert">
      {what} could not be read: {error?.message}{" "}
      <button type="button" className="link" onClick={onRetry}>
        Try again
      </button>
    </p>
  );
}
