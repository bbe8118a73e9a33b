/** What a login looks like in a request. The scheme is spelled exactly so: real brokers close the connection on `basic`. */
export function basicAuth(user: string, password: string): string {
  return `Basic ${encoded(user, password)}`;
}

/** A text without the login, neither in the clear, nor as it is sent, nor as it stands in a URL: answers and errors may repeat it. */
export function withoutLogin(text: string, user: string, password: string): string {
  const hidden = text.replaceAll(encoded(user, password), '(hidden)');
  if (password === '') return hidden;
  // That of a URL first: it may begin with the other.
  return hidden.replaceAll(encodeURIComponent(password.toWellFormed()), '(hidden)').replaceAll(password, '(hidden)');
}

function encoded(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`).toString('base64');
}
