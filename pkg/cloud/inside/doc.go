// Package inside looks at a deployed stack with the rights of the person who
// asks, and reports what buyers cannot see from outside: mail, queues, feed,
// secrets, alarms, and whether state is still kept as the template says.
//
// It only reads, and it reads no secret's value and no lead. A right that the
// person lacks is a warning that names it; nothing that AWS answers ends the
// examination.
package inside
