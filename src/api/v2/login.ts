/** What a login looks like in a request. The scheme is spelled exactly so: real brokers close the connection on `basic`. */
export function basicAuth(user: string, password: string): string {
  return `Basic ${encoded(user, password)}`;
}

/**
 * A text without the login, whichever of its passwords, neither in the clear, nor as it is sent, nor as it stands in a
 * URL: answers and errors may repeat it.
 */
export function withoutLogin(text: string, user: string, passwords: readonly string[]): string {
  const forms = passwords.flatMap((password) => [encoded(user, password), encodeURIComponent(password.toWellFormed()), password]);
  // The longest first: it may begin with another.
  return forms.filter((form) => form !== '').toSorted((a, b) => b.length - a.length).reduce((rest, form) => rest.replaceAll(form, '(hidden)'), text);
}

function encoded(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`).toString('base64');
}
