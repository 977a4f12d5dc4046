/** What is true of every call, for the head of the reference. CommonMark: paragraphs and lists. */
export const generalRules = `Self-hosted push notifications: JSON in, JSON out.

Every answer is one envelope, \`{"code": 200, "data": …, "message": null}\`. Code 200 is success; every other code is a
refusal whose message says what is wrong. Failures have the HTTP status listed with them, or always 200 where the server
runs with CARILLON_HTTP_STATUS=always-200. GET calls answer HEAD too.

- **Who calls.** The headers decide the scope of a call: the whole app, one group or one user. It cuts the audience and
  what can be read: what lies outside does not exist. The headers app_id, group_id and user_id may be written with a hyphen;
  none of them, nor access-token, may come twice.
- **Blank** means absent, null, "", only white space, {} or []. A blank optional field counts as absent, a blank required
  one as missing.
- **Integers** are exact and written as digits: 1.0 and 1e3 are refused, so is text where a number belongs. Ids we make
  are below 2^53.
- **Unknown fields** are ignored, but refused inside audience.
- **Limits.** A body has at most 1 MiB and comes as application/json in UTF-8, uncompressed. A list has at most 500
  items, and one that means a set may repeat them. NUL, lone surrogates and duplicate keys are refused.
- **Times** are Unix milliseconds in answers and Unix seconds in what is sent, unless a field says otherwise.`
