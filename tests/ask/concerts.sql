create table stadium(Stadium_ID int primary key, Location text, Name text, Capacity int, Highest int, Lowest int, Average int);
create table singer(Singer_ID int primary key, Name text, Country text, Song_Name text, Song_release_year text, Age int, Is_male bool);
create table concert(concert_ID int primary key, concert_Name text, Theme text, Stadium_ID int, Year text);
create table singer_in_concert(concert_ID int, Singer_ID int);
insert into stadium values(1,'North End','Harbour Hall',10104,4812,1294,2106),(2,'Old Town','Castle Park',11998,2363,1057,1477);
insert into singer values(1,'Ada Quill','Netherlands','Lanterns','1992',52,'F'),(2,'Bo Marsh','United States','Copper','2008',32,'T'),
 (3,'Cy Rowan','France','Hey Moon','2013',29,'T'),(4,'Dee White','France','Tides','2003',41,'F');
insert into concert values(1,'Openings','Free choice',1,'2014'),(2,'Summer camp','Free choice 2',2,'2014'),(3,'Home again','Slow songs',2,'2015');
insert into singer_in_concert values(1,2),(1,3),(2,3),(3,4);
