"""One LRGP session tied to one seat at a table, and what follows from either for the other.

`decide` is pure: from the session as it is stored, what the seat has shown (`seen`), how the two compare
(`rules`) and what was done already (`notes`, durable) it names the one next step. `driver` carries steps out
and asks again, until there is none. Nothing is derived from single events: whatever was missed, came twice
or was cut off by a crash leads to the same step.
"""
